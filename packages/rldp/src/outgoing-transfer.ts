import type { Rldp2Datagram } from '@shardwalk/tl'
import type { Line } from './line.ts'
import { OutgoingPart } from './outgoing-part.ts'
import { MAX_OPEN_PARTS, partCount, partSize, partStart, SYMBOL_SIZE } from './shape.ts'

const FIRST_WINDOW = 100
const MIN_WINDOW = 32
/** About 1 MB under way, what a receiver's socket buffer holds. */
const MAX_WINDOW = 1_000
const MAX_SILENCE_MS = 2_400

export interface OutgoingOptions {
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
  private heardAt: number
  /** When the first symbol was sent; undefined when its answer can no longer be told. */
  private askedAt: number | undefined

  constructor(
    private readonly options: OutgoingOptions,
    now: number,
  ) {
    this.parts = new Array(partCount(options.message.length))
    this.heardAt = now
    this.askedAt = now
  }

  get isComplete(): boolean {
    return this.firstOpen === this.parts.length
  }

  /** Takes what the peer says about a part. */
  receive(datagram: Exclude<Rldp2Datagram, { kind: 'rldp2.messagePart' }>, now: number): void {
    const part = this.parts[datagram.part]
    if (!part) return
    this.heard(now)
    if (datagram.kind === 'rldp2.complete') {
      part.isComplete = true
      while (this.parts[this.firstOpen]?.isComplete) this.firstOpen++
    } else this.adapt(part.confirm(datagram.maxSeqno, datagram.receivedCount))
    this.send(now)
  }

  /** The peer has got something. */
  heard(now: number): void {
    if (this.askedAt !== undefined) this.options.line.heardAfter(now - this.askedAt)
    this.askedAt = undefined
    this.heardAt = now
    this.silences = 0
  }

  private adapt({ settled, arrived }: { readonly settled: number; readonly arrived: number }): void {
    this.options.line.settled(settled, arrived)
    const isLossy = settled >= 8 && arrived < settled * 0.7
    this.window = isLossy
      ? Math.max(MIN_WINDOW, Math.floor(this.window * 0.75))
      : Math.min(MAX_WINDOW, this.window + arrived)
  }

  /** Sends what the window allows, and again after silence. */
  send(now: number): void {
    const silenceMs = Math.min(MAX_SILENCE_MS, this.options.line.silenceMs * 2 ** this.silences)
    if (now - this.heardAt >= silenceMs) this.startAgain(now)
    let room = this.window
    for (const part of this.parts) room -= part?.inFlight ?? 0
    const end = Math.min(this.parts.length, this.firstOpen + MAX_OPEN_PARTS)
    for (let index = this.firstOpen; index < end && room > 0; index++) {
      const part = (this.parts[index] ??= this.begin(index))
      for (; room > 0 && part.wantsMore; room--) this.sendSymbol(index, part)
    }
  }

  private startAgain(now: number): void {
    this.heardAt = now
    this.askedAt = undefined
    this.silences++
    this.window = Math.max(MIN_WINDOW, Math.floor(this.window / 2))
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

  private sendSymbol(index: number, part: OutgoingPart): void {
    const { seqno, symbol } = part.take()
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
