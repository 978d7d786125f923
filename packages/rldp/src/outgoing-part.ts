import { BlockEncoder } from '@shardwalk/raptorq'
import type { Line } from './line.ts'
import { SYMBOL_SIZE } from './shape.ts'

/** Symbols that are sent beyond those of the source before the peer confirms that it needs more. */
const SURPLUS = 5
/** A symbol is lost if it has not arrived when so many later ones have: a confirmation shows no more. */
const MASKED = 32
/** The same if a later one was confirmed so long ago; it may only have been overtaken. Milliseconds. */
const OVERTAKEN_MS = 10

/** Part of a symbol that may be missing: short messages are not sent twice over lines that lose little. */
const RISK = 0.05

/** Confirmation of a part by the peer. Source: ton_api.tl `rldp2.confirm`. */
export interface Confirmed {
  readonly maxSeqno: number
  readonly receivedMask: number
  readonly receivedCount: number
}

/** One part of a message that is sent. */
export class OutgoingPart {
  isComplete = false
  readonly dataSize: number
  readonly symbolCount: number
  private readonly encoder: BlockEncoder
  private next = 0
  /** Of symbols before `horizon`, those that have not arrived are lost. */
  private horizon = 0
  private lost = 0
  private newest: Confirmed = { maxSeqno: 0, receivedMask: 0, receivedCount: 0 }
  /** When the newest seqno was confirmed first. */
  private newestAt = 0
  /** When something was sent, or arrived. */
  private movedAt = 0
  /** How often it was stuck since something arrived. */
  private stuck = 0
  /** Symbols that the peer has when it has enough, as far as we know. */
  private enough: number

  constructor(
    data: Buffer,
    private readonly line: Line,
  ) {
    this.dataSize = data.length
    this.symbolCount = Math.ceil(data.length / SYMBOL_SIZE)
    this.encoder = new BlockEncoder(data, SYMBOL_SIZE)
    this.enough = this.symbolCount + Math.min(SURPLUS, this.symbolCount - 1)
  }

  /** Symbols of which nothing is known yet. */
  get inFlight(): number {
    return this.isComplete ? 0 : Math.max(0, this.next - this.newest.receivedCount - this.lost)
  }

  /** Whether what arrived, and what arrives of what is under way, may be too little. */
  get wantsMore(): boolean {
    const { inFlight, newest, line, enough } = this
    return !this.isComplete && newest.receivedCount + inFlight * (1 - line.loss) < enough - RISK
  }

  /** The peer has the part. Returns how many symbols arrived that were not known to. */
  complete(): number {
    const known = this.horizon - this.lost
    const arrived = this.isComplete ? 0 : Math.max(0, this.symbolCount - known)
    this.isComplete = true
    return arrived
  }

  take(now: number): { readonly seqno: number; readonly symbol: Buffer } {
    this.movedAt = now
    const seqno = this.next++
    return { seqno, symbol: this.encoder.symbol(seqno) }
  }

  /** Confirmed by the peer. Returns how many symbols arrived since. */
  confirm({ maxSeqno, receivedMask, receivedCount }: Confirmed, now: number): number {
    const { newest } = this
    // Confirmations overtake each other too.
    if (maxSeqno > this.next || maxSeqno < newest.maxSeqno || receivedCount > maxSeqno) return 0
    const arrived = Math.max(0, receivedCount - newest.receivedCount)
    if (arrived > 0) {
      this.movedAt = now
      this.stuck = 0
    }
    if (maxSeqno > newest.maxSeqno) {
      if (now - this.newestAt >= OVERTAKEN_MS) this.settle(newest.maxSeqno)
      this.newestAt = now
    }
    if (arrived > 0 || maxSeqno > newest.maxSeqno) this.newest = { maxSeqno, receivedMask, receivedCount }
    return arrived
  }

  /** Counts what is lost by now. Returns the symbols of which that became known, and the lost ones. */
  judge(now: number): { readonly settled: number; readonly lost: number } {
    const { maxSeqno, receivedMask, receivedCount } = this.newest
    const [horizonBefore, lostBefore] = [this.horizon, this.lost]
    this.settle(now - this.newestAt >= OVERTAKEN_MS ? maxSeqno : maxSeqno - MASKED)
    const arrivedLater = bitCount(newestBits(receivedMask, maxSeqno - this.horizon))
    this.lost = Math.max(0, this.horizon - (receivedCount - arrivedLater))
    return { settled: this.horizon - horizonBefore, lost: this.lost - lostBefore }
  }

  private settle(seqno: number): void {
    this.horizon = Math.max(this.horizon, seqno)
  }

  /** Gives up what is under way if nothing has moved for so long that it must be lost. */
  giveUpStuck(now: number, silenceMs: number): void {
    if (this.inFlight === 0 || now - this.movedAt < silenceMs * 2 ** this.stuck) return
    this.stuck++
    this.giveUpInFlight()
  }

  /** What is under way counts as lost. */
  giveUpInFlight(): void {
    const { receivedCount } = this.newest
    this.settle(this.next)
    this.lost = this.next - receivedCount
    // Rarely, as many symbols as usual do not suffice.
    this.enough = Math.max(this.enough, receivedCount + SURPLUS)
  }
}

/** The lowest bits: the newest symbols. */
function newestBits(mask: number, count: number): number {
  if (count <= 0) return 0
  return count >= MASKED ? mask : mask & ((1 << count) - 1)
}

function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count++
  return count
}
