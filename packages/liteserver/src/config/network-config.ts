import { isIPv6 } from 'node:net'
import { type BlockId, FULL_SHARD, IndexerError, MASTERCHAIN } from '@shardwalk/model'
import { type ServerAddress, serverAddress } from './server-address.ts'

/** The contents of a global config. */
export interface NetworkConfig {
  /** `liteservers` and `liteservers_v2` without duplicates. */
  readonly liteServers: readonly ServerAddress[]
  /** Why servers of these lists are left out. */
  readonly leftOut?: readonly string[]
  readonly zeroState?: BlockId
  /** The key block to trust initially. */
  readonly initBlock?: BlockId
  readonly hardForks: readonly BlockId[]
  /** The part that names servers of the hash table, unread. */
  readonly dht?: unknown
}

/**
 * Blocks that the config trusts, oldest first. No signatures lead over a hard fork: of blocks behind one,
 * proofs begin there.
 */
export const trustedBlocks = ({ zeroState, initBlock, hardForks }: NetworkConfig): readonly BlockId[] =>
  [zeroState, initBlock, ...hardForks].filter((id) => id !== undefined).sort((a, b) => a.seqno - b.seqno)

/** The text is not a valid global config; `path` is the location of the problem. */
export class BadNetworkConfig extends IndexerError {
  readonly code = 'bad_network_config'
  readonly retry = 'never'

  constructor(
    readonly path: string,
    problem: string,
  ) {
    super(`global config, ${path}: ${problem}`)
  }
}

/**
 * Parses a global config. Its block ids are masterchain ids: their `shard` exceeds 2^53, which JSON.parse
 * rounds, so it is read as the full shard; any other value is rejected. A server that cannot be read is left
 * out, because others are there. Throws `BadNetworkConfig`.
 */
export function parseGlobalConfig(text: string): NetworkConfig {
  const root = new Node('', parseJson(text))
  const validator = root.at('validator')
  const { servers, problems } = readServers([
    ...root.at('liteservers').items(),
    ...root.at('liteservers_v2').items(),
  ])
  const block = (node: Node) => (node.value === undefined ? undefined : readBlockId(node))
  return {
    liteServers: [...new Map(servers.map((server) => [server.name, server])).values()],
    ...optional('leftOut', problems.length > 0 ? problems.map(({ message }) => message) : undefined),
    ...optional('zeroState', block(validator.at('zero_state'))),
    ...optional('initBlock', block(validator.at('init_block'))),
    hardForks: validator.at('hardforks').items().map(readBlockId),
    ...optional('dht', root.at('dht').value),
  }
}

/** Parses `ip:port:base64key,...`; IPv6 hosts are in brackets. Throws `BadNetworkConfig`. */
export const parseServerList = (text: string): readonly ServerAddress[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item, index) => {
      const node = new Node(`server ${index + 1}`, item)
      const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+):([A-Za-z0-9+/_-]+=*)$/.exec(item)
      if (!match) throw node.wrong('ip:port:base64key expected')
      const host = (match[1] ?? match[2])!
      return serverAddress(
        host,
        readPort(new Node(node.path, Number(match[3]))),
        readKey(new Node(node.path, match[4])),
      )
    })

/** Throws if there are servers and none of them can be read. */
function readServers(nodes: readonly Node[]) {
  const servers: ServerAddress[] = []
  const problems: BadNetworkConfig[] = []
  for (const node of nodes)
    try {
      servers.push(readServer(node))
    } catch (error) {
      if (!(error instanceof BadNetworkConfig)) throw error
      problems.push(error)
    }
  if (servers.length === 0 && problems[0]) throw problems[0]
  return { servers, problems }
}

function readServer(node: Node): ServerAddress {
  const hostname = node.at('hostname').value
  const host = typeof hostname === 'string' && hostname !== '' ? hostname : readIp(node.at('ip'))
  return serverAddress(host, readPort(node.at('port')), readKey(node.at('id').at('key')))
}

/** `ip` is an IPv4 address as a big-endian signed int32; some configs have it as text. */
function readIp(node: Node): string {
  if (typeof node.value === 'string' && /^(\d{1,3}\.){3}\d{1,3}$/.test(node.value)) return node.value
  if (typeof node.value === 'string' && isIPv6(node.value)) return node.value
  const ip = Number(node.value)
  if (!Number.isInteger(ip) || ip < -(2 ** 31) || ip >= 2 ** 32)
    throw node.wrong('an IPv4 address as int32 expected')
  return [24, 16, 8, 0].map((shift) => (ip >>> shift) & 255).join('.')
}

function readPort(node: Node): number {
  const port = node.value
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65535)
    throw node.wrong('a port expected')
  return port
}

function readKey(node: Node): Buffer {
  const key = Buffer.from(String(node.value), 'base64')
  if (key.length !== 32) throw node.wrong('32 bytes in base64 expected')
  return key
}

function readBlockId(node: Node): BlockId {
  const shard = node.at('shard').value
  // JSON.parse has rounded a number, but only the full shard is near -2^63; a string is exact.
  if (Number(shard) !== -(2 ** 63) || node.at('workchain').value !== MASTERCHAIN)
    throw node.wrong('an id of a masterchain block expected')
  const seqno = node.at('seqno').value
  if (typeof seqno !== 'number' || !Number.isInteger(seqno) || seqno < 0)
    throw node.wrong('seqno is not a number')
  return {
    workchain: MASTERCHAIN,
    shard: FULL_SHARD,
    seqno,
    rootHash: readKey(node.at('root_hash')),
    fileHash: readKey(node.at('file_hash')),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BadNetworkConfig('whole text', error instanceof Error ? error.message : 'not JSON')
  }
}

const optional = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V }

/** A value in the parsed JSON with its path, for error messages. */
class Node {
  constructor(
    readonly path: string,
    readonly value: unknown,
  ) {}

  at(key: string): Node {
    const inner =
      typeof this.value === 'object' && this.value !== null
        ? (this.value as Record<string, unknown>)[key]
        : undefined
    return new Node(this.path === '' ? key : `${this.path}.${key}`, inner)
  }

  items(): Node[] {
    if (this.value === undefined) return []
    if (!Array.isArray(this.value)) throw this.wrong('a list expected')
    return this.value.map((item, index) => new Node(`${this.path}[${index}]`, item))
  }

  wrong(problem: string): BadNetworkConfig {
    return new BadNetworkConfig(this.path, problem)
  }
}
