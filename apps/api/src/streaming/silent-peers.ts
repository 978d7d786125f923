import { createReadStream } from 'node:fs'
import { isIPv4, type Socket } from 'node:net'

/** Tables of TCP connections. Source: Linux, Documentation/networking/proc_net_tcp.rst. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
/** Checks in a row that find a peer silent before it counts as gone. */
const MAX_SILENT_CHECKS = 3
/** Packets sent again, or probes of a closed window, without an answer: a few may be lost on the way. */
const MIN_UNANSWERED = 3

/** `sl: local:port remote:port st tx:rx tr:when retrnsmt uid timeout inode`, established connections only. */
const LINE = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) ([\dA-F]+:[\dA-F]{4}) 01 \S+ \S+ ([\dA-F]{8})\s+\d+\s+(\d+) \d+ /

/**
 * Finds connections that were cut off. A stream of server-sent events receives nothing from its client, and
 * TCP repeats what is not acknowledged for a quarter of an hour; how long it has been repeating is in
 * the tables of Linux. Elsewhere nothing is found, and connections end when TCP gives up.
 */
export class SilentPeers {
  private checks = new Map<Socket, number>()

  constructor(private readonly tables: readonly string[] = TABLES) {}

  /** Those of the sockets whose peers have not acknowledged anything for the last checks. */
  async find(sockets: Iterable<Socket>): Promise<Socket[]> {
    const byName = new Map<string, Socket>()
    for (const socket of sockets) byName.set(nameOf(socket), socket)
    if (byName.size === 0) return []
    const before = this.checks
    this.checks = new Map()
    const gone: Socket[] = []
    for (const table of this.tables)
      for await (const { name, unanswered } of unansweredIn(table)) {
        const socket = byName.get(name)
        if (!socket) continue
        const checks = (before.get(socket) ?? 0) + 1
        if (checks >= MAX_SILENT_CHECKS && unanswered >= MIN_UNANSWERED) gone.push(socket)
        else this.checks.set(socket, checks)
      }
    return gone
  }
}

interface Unanswered {
  readonly name: string
  readonly unanswered: number
}

async function* unansweredIn(table: string): AsyncGenerator<Unanswered> {
  let rest = ''
  try {
    for await (const chunk of createReadStream(table, { encoding: 'latin1' })) {
      const lines = `${rest}${chunk as string}`.split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        const found = LINE.exec(line)
        if (!found) continue
        const [, local, remote, retransmits, probes] = found
        const unanswered = Math.max(Number.parseInt(retransmits!, 16), Number(probes))
        if (unanswered > 0) yield { name: `${local} ${remote}`, unanswered }
      }
    }
  } catch {
    // Not Linux, or IPv6 is switched off.
  }
}

const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0')

/** As the tables name a connection: port here, address and port there. */
const nameOf = ({ localPort = 0, remoteAddress = '0.0.0.0', remotePort = 0 }: Socket): string =>
  `${hex(localPort)} ${wordsOf(remoteAddress)}:${hex(remotePort)}`

/** 32-bit words in the byte order of the machine, which is little-endian wherever Node has a release. */
function wordsOf(address: string): string {
  const bytes = isIPv4(address) ? bytesOfIpv4(address) : bytesOfIpv6(address)
  return Buffer.from(bytes).swap32().toString('hex').toUpperCase()
}

const bytesOfIpv4 = (address: string): number[] => address.split('.').map(Number)

function bytesOfIpv6(address: string): number[] {
  const [head = [], tail = []] = address.split('%')[0]!.split('::').map(groupBytes)
  return [...head, ...Array<number>(16 - head.length - tail.length).fill(0), ...tail]
}

const groupBytes = (groups: string): number[] =>
  groups === ''
    ? []
    : groups.split(':').flatMap((group) => {
        if (group.includes('.')) return bytesOfIpv4(group)
        const value = Number.parseInt(group, 16)
        return [value >> 8, value & 0xff]
      })
