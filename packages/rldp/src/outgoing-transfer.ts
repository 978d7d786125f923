import type { Rldp2Datagram } from '@shardwalk/tl'
import type { Line } from './line.ts'
import { OutgoingPart } from './outgoing-part.ts'
import { MAX_OPEN_PARTS, partCount, partSize, partStart, SYMBOL_SIZE } from './shape.ts'

const FIRST_WINDOW = 100
const MIN_WINDOW = 32
/** About 1 MB under way, what a receiver's socket buffer holds. */
const MAX_WINDOW = 1_000
const MAX_SILENCE_MS = 2_400
/** Symbols after several silences: nobody may listen any more, or what was sent before waits to be read. */
const PROBE = 4
/** Symbols by which the losses of a line are judged: of fewer, many may be lost by chance. */
const JUDGED = 64
/** Share of them that is lost where the line is too narrow, not only bad. */
const TOO_MANY_LOST = 0.3
/** Symbols that are sent at once. A receiver's socket holds about a hundred while its process is busy. */
const BURST = 64
const SYMBOLS_PER_MS = 32

export interface OutgoingOptions {
  /** Of the transfer: 32 random bytes. */
  readonly id: Buffer
  readonly message: Buffer
  readonly send: (datagram: Rldp2Datagram) => void
  /** The way to the peer. */
  readonly line: Line
}

/**
 * A message to a peer: sends symbols as long as the peer confirms them, and goes on with further ones after
 * losses, until the peer reports every part as complete.
 */
export class OutgoingTransfer {
  private readonly parts: (OutgoingPart | undefined)[]
  private window = FIRST_WINDOW
  private firstOpen = 0
  /** Silences in a row. */
  private silences = 0
  private receivedAt: number
  /** When the first symbol was sent, and when it was sent again; undefined once there was an answer. */
  private asked: { readonly firstAt: number; readonly lastAt: number } | undefined
  /** Symbols confirmed or lost since the window was last adapted. */
  private settled = 0
  private lost = 0
  private burst = BURST
  private sentAt: number

  constructor(
    private readonly options: OutgoingOptions,
    now: number,
  ) {
    this.parts = new Array(partCount(options.message.length))
    this.receivedAt = now
    this.asked = { firstAt: now, lastAt: now }
    this.sentAt = now
  }

  get isComplete(): boolean {
    return this.firstOpen === this.parts.length
  }

  /** Handles a confirmation of a part. */
  receive(datagram: Exclude<Rldp2Datagram, { kind: 'rldp2.messagePart' }>, now: number): void {
    const part = this.parts[datagram.part]
    if (!part) return
    this.noteSignOfLife(now)
    if (datagram.kind === 'rldp2.complete') {
      const arrived = part.complete()
      this.options.line.settled(arrived, arrived)
      while (this.parts[this.firstOpen]?.isComplete) this.firstOpen++
    } else this.window = Math.min(MAX_WINDOW, this.window + part.confirm(datagram, now))
    this.send(now)
  }

  /** Records that the peer has received something. */
  noteSignOfLife(now: number): void {
    const { asked } = this
    if (asked) this.options.line.answeredAfter(now - asked.firstAt, now - asked.lastAt)
    this.asked = undefined
    this.receivedAt = now
    this.silences = 0
  }

  /** Sends what the window allows, and again after silence. */
  send(now: number): void {
    const { line } = this.options
    const silenceMs = Math.min(MAX_SILENCE_MS, line.silenceMs * 2 ** this.silences)
    if (now - this.receivedAt >= silenceMs) this.startAgain(now)
    let room = Math.min(this.window - this.judge(now), this.burstAt(now))
    const end = Math.min(this.parts.length, this.firstOpen + MAX_OPEN_PARTS)
    for (let index = this.firstOpen; index < end && room > 0; index++) {
      const part = (this.parts[index] ??= this.begin(index))
      for (; room > 0 && part.wantsMore; room--) this.sendSymbol(index, part, now)
    }
  }

  /** Counts what is lost, and adapts the window. Returns how many symbols are under way. */
  private judge(now: number): number {
    const { line } = this.options
    let inFlight = 0
    for (const part of this.parts) {
      if (!part || part.isComplete) continue
      part.giveUpStuck(now, line.silenceMs)
      const { settled, lost } = part.judge(now)
      line.settled(settled, settled - lost)
      this.settled += settled
      this.lost += lost
      inFlight += part.inFlight
    }
    if (this.settled >= JUDGED) {
      if (this.lost > this.settled * TOO_MANY_LOST) this.window = Math.max(MIN_WINDOW, this.window * 0.75)
      this.settled = 0
      this.lost = 0
    }
    return inFlight
  }

  /** Symbols that may be sent now without overrunning the receiver. */
  private burstAt(now: number): number {
    this.burst = Math.min(BURST, this.burst + (now - this.sentAt) * SYMBOLS_PER_MS)
    this.sentAt = now
    return Math.floor(this.burst)
  }

  private startAgain(now: number): void {
    this.receivedAt = now
    if (this.asked) this.asked = { ...this.asked, lastAt: now }
    this.silences++
    this.window = this.silences > 1 ? PROBE : Math.max(MIN_WINDOW, this.window / 2)
    for (const part of this.parts) part?.giveUpInFlight()
  }

  private begin(index: number): OutgoingPart {
    const { message } = this.options
    const start = partStart(index)
    return new OutgoingPart(
      message.subarray(start, start + partSize(message.length, index)),
      this.options.line,
    )
  }

  private sendSymbol(index: number, part: OutgoingPart, now: number): void {
    this.burst--
    const { seqno, symbol } = part.take(now)
    const { dataSize, symbolCount } = part
    this.options.send({
      kind: 'rldp2.messagePart',
      transferId: this.options.id,
      fecType: { kind: 'fec.raptorQ', dataSize, symbolSize: SYMBOL_SIZE, symbolsCount: symbolCount },
      part: index,
      totalSize: BigInt(this.options.message.length),
      seqno,
      data: symbol,
    })
  }
}
