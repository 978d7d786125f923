import { BlockEncoder } from '@shardwalk/raptorq'
import type { Line } from './line.ts'
import { SYMBOL_SIZE } from './shape.ts'

/** Symbols that are sent beyond those of the source before the peer confirms that it needs more. */
const SURPLUS = 5

/** One part of a message that is sent. */
export class OutgoingPart {
  isComplete = false
  readonly dataSize: number
  readonly symbolCount: number
  private readonly encoder: BlockEncoder
  private next = 0
  /** Symbols before this one have arrived or are lost. */
  private settled = 0
  private received = 0
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
    return this.isComplete ? 0 : this.next - this.settled
  }

  /** Whether what arrived, and what arrives of what is under way, may be too little. */
  get wantsMore(): boolean {
    return !this.isComplete && this.received + this.inFlight * (1 - this.line.loss) < this.enough
  }

  take(): { readonly seqno: number; readonly symbol: Buffer } {
    const seqno = this.next++
    return { seqno, symbol: this.encoder.symbol(seqno) }
  }

  /** Confirmed by the peer. Returns how many symbols were settled, and how many of those arrived. */
  confirm(maxSeqno: number, receivedCount: number): { readonly settled: number; readonly arrived: number } {
    const settled = Math.max(0, Math.min(maxSeqno, this.next) - this.settled)
    const arrived = Math.max(0, Math.min(receivedCount, this.next) - this.received)
    this.settled += settled
    this.received += arrived
    return { settled, arrived }
  }

  /** Nothing was heard for long: what is under way counts as lost. */
  giveUpInFlight(): void {
    this.settled = this.next
    // Rarely, as many symbols as usual do not suffice.
    this.enough = Math.max(this.enough, this.received + SURPLUS)
  }
}
