import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { dirname } from 'node:path'
import { makeFolder, replaceFile } from '@shardwalk/concurrency'
import { type BlockId, formatBlockId, parseBlockId } from '@shardwalk/model'

/** A full node as stored for the next start. */
export interface BookedPeer {
  /** ed25519, 32 bytes. */
  readonly key: Buffer
  /** IPv4. */
  readonly host: string
  readonly port: number
  /** Overlays in which it has answered, as bits: 1 masterchain, 2 basechain. */
  readonly overlays: number
  /** Mean of its answers; undefined: never measured. Milliseconds. */
  readonly meanMs?: number | undefined
  /** Queries in a row that it has not answered. */
  readonly failures: number
  /** Bytes per second of its archive files; 0: never measured. */
  readonly rate: number
  /** Unix seconds until which it is not asked, because it has sent what is false; 0: it is asked. */
  readonly bannedUntil: number
}

/** What a start uses besides the global config. */
export interface PeerBook {
  readonly peers: readonly BookedPeer[]
  /** The newest key block whose signatures were verified. */
  readonly keyBlock?: BlockId | undefined
}

const EMPTY: PeerBook = { peers: [] }
/** Peers of one file. */
const MAX_PEERS = 600

/** The file that stores a `PeerBook`. A damaged file, or one of another network, counts as empty. */
export class PeerBookFile {
  private written = ''

  constructor(
    private readonly path: string,
    private readonly zeroStateFileHash: Buffer,
  ) {}

  async read(): Promise<PeerBook> {
    try {
      return this.decode(JSON.parse(await readFile(this.path, 'utf8')))
    } catch {
      return EMPTY
    }
  }

  private decode(file: Record<string, unknown>): PeerBook {
    if (file['zerostate'] !== this.zeroStateFileHash.toString('hex')) return EMPTY
    const listed = Array.isArray(file['peers']) ? file['peers'] : []
    const peers = listed.slice(0, MAX_PEERS).map(decodePeer)
    const keyBlock = typeof file['keyBlock'] === 'string' ? parseBlockId(file['keyBlock']) : undefined
    return { peers: peers.filter((peer) => peer !== undefined), keyBlock }
  }

  /** Rejects if the file cannot be written. */
  async write({ peers, keyBlock }: PeerBook): Promise<void> {
    const text = JSON.stringify({
      zerostate: this.zeroStateFileHash.toString('hex'),
      keyBlock: keyBlock && formatBlockId(keyBlock),
      peers: peers.slice(0, MAX_PEERS).map(({ key, ...rest }) => ({ key: key.toString('base64'), ...rest })),
    })
    if (text === this.written) return
    await makeFolder(dirname(this.path))
    await replaceFile(this.path, text)
    this.written = text
  }
}

/** Undefined if it cannot be contacted; the others are used all the same. */
function decodePeer(given: unknown): BookedPeer | undefined {
  const { key, host, port, overlays, meanMs, failures, rate, bannedUntil } = Object(given)
  // A name would be looked up for every datagram.
  if (typeof key !== 'string' || typeof host !== 'string' || !isIPv4(host)) return undefined
  if (!isPort(port) || !isCount(overlays)) return undefined
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== 32) return undefined
  return {
    key: bytes,
    host,
    port,
    overlays,
    meanMs: isCount(meanMs) ? meanMs : undefined,
    failures: isCount(failures) ? failures : 0,
    rate: isCount(rate) ? rate : 0,
    bannedUntil: isCount(bannedUntil) ? bannedUntil : 0,
  }
}

const isPort = (value: unknown): value is number =>
  isCount(value) && Number.isInteger(value) && value < 65_536
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0
