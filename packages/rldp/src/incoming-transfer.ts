import { DecodeError } from '@shardwalk/model'
import type { RestoreBlock } from '@shardwalk/raptorq'
import type { Rldp2Datagram } from '@shardwalk/tl'
import type { RldpCounts } from './counts.ts'
import { AnswerTooLong, TransferFailed } from './errors.ts'
import { IncomingPart } from './incoming-part.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { MAX_OPEN_PARTS, partCount, partSize, partStart, SYMBOL_SIZE } from './shape.ts'

/** A symbol of a part of a message. */
export type MessagePart = Extract<Rldp2Datagram, { kind: 'rldp2.messagePart' }>

/** Encoding symbol ids have 24 bits. Source: RFC 6330, section 3.2. */
const MAX_SYMBOL_ID = 1 << 24
/** A sender that continues a complete part gets the confirmation again, but not for each datagram. */
const COMPLETE_AGAIN_MS = 10

export interface IncomingOptions {
  /** Of the transfer, chosen by its sender: 32 bytes. */
  readonly id: Buffer
  /** Bytes of the longest message that is accepted. */
  readonly maxSize: number
  readonly restoreBlock: RestoreBlock
  readonly memory: MemoryBudget
  readonly counts: RldpCounts
  readonly send: (datagram: Rldp2Datagram) => void
}

/** A message from a peer: assembles its parts and confirms what arrived. */
export class IncomingTransfer {
  /** The whole message. Rejects with `AnswerTooLong` or `TransferFailed`. */
  readonly message: Promise<Buffer>
  /** Monotonic milliseconds; undefined before the first symbol. */
  lastSymbolAt: number | undefined
  /** Of symbols, without those that arrived again. */
  receivedBytes = 0
  private readonly open = new Map<number, IncomingPart>()
  private readonly done = new Map<number, Buffer>()
  private readonly confirmedAt = new Map<number, number>()
  private totalSize: number | undefined
  private firstMissing = 0
  private held = 0
  private restoring = 0
  private isOver = false
  private settle!: { resolve(message: Buffer): void; reject(error: Error): void }

  constructor(private readonly options: IncomingOptions) {
    this.message = new Promise((resolve, reject) => {
      this.settle = { resolve, reject }
    })
    // The failure is reported where the message is awaited; otherwise it must not end the process.
    this.message.catch(() => {})
  }

  get hasBegun(): boolean {
    return this.lastSymbolAt !== undefined
  }

  /** Takes a datagram of this transfer. Throws `DecodeError` if it contradicts itself or earlier ones. */
  receive(datagram: MessagePart, now: number): void {
    const { counts } = this.options
    if (this.isOver) return void counts.late++
    const { part, seqno, data, fecType } = datagram
    if (!this.accepts(datagram)) return
    if (this.done.has(part)) {
      counts.late++
      return void this.confirmComplete(part, now)
    }
    const incoming = this.open.get(part) ?? this.begin(part, fecType.dataSize)
    if (!incoming) return
    this.lastSymbolAt = now
    try {
      if (!incoming.add(seqno, data, now)) counts.duplicate++
      else {
        this.receivedBytes += data.length
        if (seqno >= fecType.symbolsCount) counts.repair++
      }
    } catch (error) {
      return void this.fail(error as Error)
    }
    if (incoming.isPromising) void this.restore(part, incoming, now)
    else if (incoming.confirmation.isDue(now)) this.confirm(part, incoming)
  }

  private accepts({ fecType, part, totalSize, seqno, data }: MessagePart): boolean {
    const total = Number(totalSize)
    if (total > this.options.maxSize) {
      this.fail(new AnswerTooLong(total, this.options.maxSize))
      return false
    }
    this.totalSize ??= total
    const problem = (field: string, text: string) => new DecodeError(`rldp2.messagePart.${field}`, text)
    if (total !== this.totalSize || total === 0) throw problem('total_size', `is ${total}`)
    if (part >= partCount(total)) throw problem('part', `${part} of ${partCount(total)}`)
    const size = partSize(total, part)
    const { dataSize, symbolSize, symbolsCount } = fecType
    if (dataSize !== size || symbolSize !== SYMBOL_SIZE || symbolsCount !== Math.ceil(size / SYMBOL_SIZE))
      throw problem('fec_type', `${dataSize} bytes as ${symbolsCount} symbols of ${symbolSize}`)
    if (data.length !== SYMBOL_SIZE) throw problem('data', `has ${data.length} bytes`)
    if (seqno >= MAX_SYMBOL_ID) throw problem('seqno', `is ${seqno}`)
    return part < this.firstMissing + MAX_OPEN_PARTS
  }

  private begin(part: number, dataSize: number): IncomingPart | undefined {
    const memory = IncomingPart.memoryOf(dataSize)
    // Without memory the symbol counts as lost: it is sent again, when other transfers have finished.
    if (!this.options.memory.take(memory)) return undefined
    this.held += memory
    const incoming = new IncomingPart(dataSize)
    this.open.set(part, incoming)
    return incoming
  }

  private async restore(part: number, incoming: IncomingPart, now: number): Promise<void> {
    this.restoring++
    try {
      const bytes = await incoming.restore(this.options.restoreBlock)
      if (!bytes || this.isOver || this.done.has(part)) return
      this.open.delete(part)
      this.done.set(part, bytes)
      while (this.done.has(this.firstMissing)) this.firstMissing++
      this.confirmComplete(part, now)
      if (this.firstMissing === partCount(this.totalSize!)) this.finish()
    } catch (error) {
      this.fail(new TransferFailed(`part ${part} cannot be decoded`, { cause: error }))
    } finally {
      this.restoring--
    }
  }

  private finish(): void {
    const [only] = this.done.values()
    const message = this.done.size === 1 ? only! : Buffer.allocUnsafe(this.totalSize!)
    if (this.done.size > 1) for (const [part, bytes] of this.done) message.set(bytes, partStart(part))
    this.end()
    this.settle.resolve(message)
  }

  private confirmComplete(part: number, now: number): void {
    if (now - (this.confirmedAt.get(part) ?? Number.NEGATIVE_INFINITY) < COMPLETE_AGAIN_MS) return
    this.confirmedAt.set(part, now)
    this.options.send({ kind: 'rldp2.complete', transferId: this.options.id, part })
  }

  private confirm(part: number, { confirmation }: IncomingPart): void {
    const { maxSeqno, receivedMask, receivedCount } = confirmation
    const { id: transferId, counts } = this.options
    counts.confirms++
    this.options.send({ kind: 'rldp2.confirm', transferId, part, maxSeqno, receivedMask, receivedCount })
  }

  /** Sends confirmations that are due. */
  tick(now: number): void {
    // Time in which the decoder is busy does not count as silence of the peer.
    if (this.restoring > 0) this.lastSymbolAt = now
    for (const [part, incoming] of this.open)
      if (incoming.confirmation.isDue(now)) this.confirm(part, incoming)
  }

  /** Ends the transfer. The sender gets a confirmation, because nothing else makes it stop. */
  fail(error: Error): void {
    if (this.isOver) return
    // Before the first symbol there is one part at least.
    for (const part of this.totalSize === undefined ? [0] : this.open.keys())
      this.options.send({ kind: 'rldp2.complete', transferId: this.options.id, part })
    this.end()
    this.settle.reject(error)
  }

  private end(): void {
    this.isOver = true
    this.options.memory.release(this.held)
    this.held = 0
    this.open.clear()
    this.done.clear()
  }
}
