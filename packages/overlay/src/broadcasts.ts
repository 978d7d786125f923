import { type NodeClock, publicKeyId, sha256, verifySignature } from '@shardwalk/adnl'
import { BlockAssembly, type RestoreBlock } from '@shardwalk/raptorq'
import {
  broadcastId,
  broadcastToSign,
  decodeUnion,
  encodeBoxed,
  type OverlayBroadcast,
  overlayBroadcast,
  type PublicKey,
} from '@shardwalk/tl'
import { type AuthorisedKeys, authorityOf, type Source } from './certificates.ts'
import {
  ANY_SENDER,
  type FecPart,
  fecBroadcastId,
  isWellFormed,
  MAX_SIMPLE_SIZE,
  NO_SOURCE,
  signedPartBytes,
} from './fec-broadcast.ts'
import { RecentIds } from './recent-ids.ts'

/** A broadcast that arrived completely: its bytes are those that the source has signed. */
export interface Broadcast {
  readonly id: Buffer
  readonly source: PublicKey
  readonly payload: Buffer
  /** Unix seconds. */
  readonly date: number
  /**
   * Hex id of the authorised key that is or certifies the source; undefined: none, or the keys are not known
   * yet.
   */
  readonly authority: string | undefined
}

export interface BroadcastsOptions {
  readonly overlay: Buffer
  readonly clock: NodeClock
  readonly restoreBlock: RestoreBlock
  readonly onBroadcast: (broadcast: Broadcast) => void
  /** Keys whose broadcasts of any size are taken; undefined: not known yet, all are. */
  readonly authorised?: () => AuthorisedKeys | undefined
  readonly limits?: Partial<BroadcastLimits>
}

/** What senders may use of the memory of a node. */
export interface BroadcastLimits {
  /** Broadcasts of one source that are open at a time. */
  readonly openPerSource: number
  /** Bytes of all open ones. */
  readonly memory: number
  /** Bytes of a payload. */
  readonly size: number
  /** The same without authorisation: external messages. */
  readonly unauthorisedSize: number
}

const LIMITS: BroadcastLimits = {
  openPerSource: 16,
  memory: 32 << 20,
  size: 16 << 20,
  unauthorisedSize: 1 << 17,
}
/** Seconds by which a broadcast may be older or newer than our clock. Source: ton, overlay/overlays.h. */
const MAX_AGE_SECONDS = 20
const OPEN_MS = 30_000
const FINISHED_MS = 60_000
const MAX_FINISHED = 20_000

type Sent = Source & Pick<OverlayBroadcast, 'kind'> & Pick<Broadcast, 'date'>

interface OpenBroadcast {
  readonly assembly: BlockAssembly
  readonly memory: number
  readonly source: string
  readonly begunAt: number
}

export interface BroadcastCounts {
  /** Datagrams. */
  parts: number
  complete: number
  /** Datagrams of what is complete or known. */
  duplicates: number
  /** Too old, contradictory, not signed or not allowed. */
  refused: number
  /** Broadcasts that were given up for the lack of parts or room. */
  incomplete: number
}

/** Assembles the broadcasts of one overlay from their parts. */
export class Broadcasts {
  readonly counts: BroadcastCounts = { parts: 0, complete: 0, duplicates: 0, refused: 0, incomplete: 0 }
  private readonly open = new Map<string, OpenBroadcast>()
  private readonly finished = new RecentIds(FINISHED_MS, MAX_FINISHED)
  private readonly limits: BroadcastLimits
  private held = 0

  constructor(private readonly options: BroadcastsOptions) {
    this.limits = { ...LIMITS, ...options.limits }
  }

  /** Takes what follows the prefix of an overlay's message. Throws `DecodeError` if it is no broadcast. */
  receive(message: Buffer): void {
    const broadcast = decodeUnion(overlayBroadcast, message)
    if (broadcast.kind === 'overlay.broadcastFec') this.receivePart(broadcast)
    else if (broadcast.kind === 'overlay.broadcast') this.receiveSimple(broadcast)
  }

  private receivePart(part: FecPart): void {
    this.counts.parts++
    const id = fecBroadcastId(part)
    const source = publicKeyId(part.src).toString('latin1')
    // Where the id does not depend on the source, anybody could spoil what others send with parts of his own.
    const key = id.toString('latin1') + source
    const now = this.options.clock.now()
    let open = this.open.get(key)
    // Most parts arrive several times: duplicates must cost less than a signature.
    if (this.isFinished(id, key, now) || open?.assembly.has(part.seqno)) return void this.counts.duplicates++
    if (!this.isTimely(part.date) || !isWellFormed(part, this.limits.size)) return void this.refuse()
    if (!open && !this.isAllowed(part, part.dataSize)) return void this.refuse()
    if (!isSigned(part, signedPartBytes(id, part))) return void this.refuse()
    open ??= this.begin(key, part, source, now)
    if (!open) return
    open.assembly.add(part.seqno, part.data)
    if (open.assembly.isPromising) void this.complete(key, open, part, id)
  }

  private isFinished(id: Buffer, key: string, now: number): boolean {
    return this.finished.has(id.toString('latin1'), now) || this.finished.has(key, now)
  }

  private begin(key: string, part: FecPart, source: string, now: number): OpenBroadcast | undefined {
    const shape = { dataSize: part.dataSize, symbolSize: part.fec.symbolSize }
    const memory = BlockAssembly.memoryOf(shape)
    this.giveUpOld(now)
    const ofSource = [...this.open.values()].filter((other) => other.source === source).length
    if (ofSource >= this.limits.openPerSource || !this.makeRoom(memory, now)) {
      this.counts.incomplete++
      return undefined
    }
    const open = { assembly: new BlockAssembly(shape), memory, source, begunAt: now }
    this.open.set(key, open)
    this.held += memory
    return open
  }

  /** Gives up what arrives slowest, so that large broadcasts that are not sent keep no other out. */
  private makeRoom(memory: number, now: number): boolean {
    if (memory > this.limits.memory) return false
    while (this.held + memory > this.limits.memory) {
      const [key, slowest] = [...this.open].reduce((a, b) => (rateOf(b[1], now) < rateOf(a[1], now) ? b : a))
      this.counts.incomplete++
      this.close(key, slowest)
    }
    return true
  }

  private giveUpOld(now: number): void {
    for (const [key, open] of this.open) {
      if (now - open.begunAt < OPEN_MS) return
      this.counts.incomplete++
      this.close(key, open)
    }
  }

  private close(key: string, open: OpenBroadcast): void {
    if (this.open.delete(key)) this.held -= open.memory
  }

  private async complete(key: string, open: OpenBroadcast, part: FecPart, id: Buffer): Promise<void> {
    const payload = await open.assembly.restore(this.options.restoreBlock).catch(() => undefined)
    if (!payload || this.open.get(key) !== open) return
    this.close(key, open)
    const now = this.options.clock.now()
    if (this.isFinished(id, key, now)) return
    const isTrue = sha256(payload).equals(part.dataHash)
    // Symbols that arrive later would not mend what is not what its hash says.
    this.finished.add(isTrue ? id.toString('latin1') : key, now)
    if (!isTrue) return void this.refuse()
    this.finish(part, { id, payload })
  }

  private receiveSimple(broadcast: Extract<OverlayBroadcast, { kind: 'overlay.broadcast' }>): void {
    this.counts.parts++
    const { src, flags, data, date } = broadcast
    const source = (flags & ANY_SENDER) === 0 ? publicKeyId(src) : NO_SOURCE
    const id = sha256(encodeBoxed(broadcastId, { src: source, dataHash: sha256(data), flags }))
    const key = id.toString('latin1')
    const now = this.options.clock.now()
    if (this.finished.has(key, now)) return void this.counts.duplicates++
    if (!this.isTimely(date) || data.length > MAX_SIMPLE_SIZE) return void this.refuse()
    if (!isSigned(broadcast, encodeBoxed(broadcastToSign, { hash: id, date }))) return void this.refuse()
    this.finished.add(key, now)
    this.finish(broadcast, { id, payload: data })
  }

  private finish(sent: Sent, { id, payload }: Pick<Broadcast, 'id' | 'payload'>): void {
    this.counts.complete++
    const authority = this.authorityOf(sent, payload.length)
    this.options.onBroadcast({ id, payload, authority, source: sent.src, date: sent.date })
  }

  private refuse(): void {
    this.counts.refused++
  }

  private isTimely(date: number): boolean {
    return Math.abs(date - this.options.clock.unixTime()) <= MAX_AGE_SECONDS
  }

  /** Anybody may broadcast what is as small as an external message. */
  private isAllowed(source: Sent, size: number): boolean {
    if (size <= this.limits.unauthorisedSize || !this.options.authorised?.()) return true
    return this.authorityOf(source, size) !== undefined
  }

  private authorityOf(source: Sent, size: number): string | undefined {
    const { overlay, clock } = this.options
    const authorised = this.options.authorised?.()
    const isSplit = source.kind === 'overlay.broadcastFec'
    const check = { overlay, unixTime: clock.unixTime(), size, isSplit }
    return authorised && authorityOf(source, { ...check, authorised })
  }
}

/** Until then the first symbol says nothing about the rate. Milliseconds. */
const FIRST_MS = 50
const rateOf = ({ assembly, begunAt }: OpenBroadcast, now: number): number =>
  assembly.received / (now - begunAt + FIRST_MS)

const isSigned = (
  { src, signature }: { readonly src: PublicKey; readonly signature: Buffer },
  signed: Buffer,
): boolean =>
  src.kind === 'pub.ed25519' && signature.length === 64 && verifySignature(src.key, signed, signature)
