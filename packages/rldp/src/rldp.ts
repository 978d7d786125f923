import type { NodeClock, RandomBytes } from '@shardwalk/adnl'
import type { RestoreBlock } from '@shardwalk/raptorq'
import {
  decodeUnion,
  encodeUnion,
  isRldp2Datagram,
  type Rldp2Datagram,
  type RldpMessage,
  rldp2Datagram,
  rldpMessage,
} from '@shardwalk/tl'
import { newRldpCounts, type RldpCounts } from './counts.ts'
import { QueryTimedOut, TransferFailed } from './errors.ts'
import { IncomingTransfer, type MessagePart } from './incoming-transfer.ts'
import { Line } from './line.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { OutgoingTransfer } from './outgoing-transfer.ts'

export interface RldpOptions {
  /** Sends the data of `adnl.message.custom` to the peer. */
  readonly send: (data: Buffer) => void
  readonly clock: NodeClock
  readonly random: RandomBytes
  readonly restoreBlock: RestoreBlock
  readonly memory: MemoryBudget
  /** Of the process, to which this peer's are added. Default: of its own. */
  readonly counts?: RldpCounts
  /** Answers a query of the peer; undefined: silence. Default: silence. */
  readonly onQuery?: (query: Buffer) => Promise<Buffer | undefined>
}

export interface QueryOptions {
  /** Bytes of the longest answer. */
  readonly maxAnswerSize: number
  /** Milliseconds for an answer, in addition to those that its bytes take at the least rate. */
  readonly timeoutMs: number
  /** Milliseconds without a symbol after which an answer that has begun is given up. Default: 3,000. */
  readonly stallMs?: number
  /** Ends the query; it rejects with the reason. */
  readonly signal?: AbortSignal | undefined
  /** The same, but only as soon as the peer answers: until then it is not known whether it would. */
  readonly enough?: AbortSignal | undefined
}

/** Bytes by which a transfer may exceed the answer in it: the answer's header and padding. */
const WRAPPING = 1_024
/** Bytes of transfers that were not asked for: queries of peers. Source: ton, rldp2/rldp.cpp. */
const MAX_UNREQUESTED_SIZE = 2_048
const MAX_UNREQUESTED = 16
/** Queries of a peer that are being answered. */
const MAX_ANSWERING = 64
const UNREQUESTED_MS = 5_000
/** How long a peer that has not received the end of its transfer gets it again. */
const REMEMBERED_MS = 20_000
const MAX_REMEMBERED = 256
const COMPLETE_AGAIN_MS = 10
const ANSWER_MS = 60_000
const DEFAULT_STALL_MS = 3_000
/** The answer to a query is given up if it comes more slowly, or too late. 32 KiB per second. */
const LEAST_BYTES_PER_MS = 32
/** Longest time for them: a peer that does not hear that the query has ended goes on until then. */
const MAX_EXTRA_MS = 30_000

interface OpenIncoming {
  readonly transfer: IncomingTransfer
  readonly expiresAt: number
  readonly stallMs: number
  /** Present if it answers a query of ours. */
  readonly query?: { readonly sentAs: string; readonly enough: AbortSignal | undefined }
}
/** A transfer that ended, and what its sender was told last: that it need not go on with this part. */
interface Ended {
  readonly forgetAt: number
  part: number
  saidAt: number
}
interface OpenOutgoing {
  readonly transfer: OutgoingTransfer
  readonly expiresAt: number
}

/** How much longer an answer of so many bytes may take. */
const extraMs = (bytes: number): number => Math.min(MAX_EXTRA_MS, bytes / LEAST_BYTES_PER_MS)
const keyOf = (id: Buffer): string => id.toString('latin1')
const inverted = (id: Buffer): Buffer => Buffer.from(id.map((byte) => ~byte))

/**
 * Queries, answers and their transfers between us and one peer. Needs `tick` every few milliseconds while
 * `isIdle` is false.
 */
export class Rldp {
  private readonly incoming = new Map<string, OpenIncoming>()
  private readonly outgoing = new Map<string, OpenOutgoing>()
  /** Transfers that ended, by id; those that ended first are forgotten first. */
  private readonly ended = new Map<string, Ended>()
  private unrequested = 0
  private answering = 0
  private readonly line = new Line()
  private readonly counts: RldpCounts

  constructor(private readonly options: RldpOptions) {
    this.counts = options.counts ?? newRldpCounts()
  }

  get isIdle(): boolean {
    return this.incoming.size === 0 && this.outgoing.size === 0
  }

  /** The peer's answer. Rejects with `QueryTimedOut`, `AnswerTooLong` or `TransferFailed`. */
  async query(data: Buffer, options: QueryOptions): Promise<Buffer> {
    const { maxAnswerSize, timeoutMs, stallMs, signal, enough } = options
    signal?.throwIfAborted()
    const { random, clock } = this.options
    const queryId = random(32)
    const transferId = random(32)
    const size = maxAnswerSize + WRAPPING
    const expiresAt = clock.now() + timeoutMs
    const longestMs = timeoutMs + extraMs(size)
    const timeout = Math.ceil(clock.unixTime() + longestMs / 1_000) + 1
    const query: RldpMessage = { kind: 'rldp.query', queryId, maxAnswerSize: BigInt(size), timeout, data }
    const transfer = this.expect(inverted(transferId), size, this.options.memory)
    const sentAs = keyOf(transferId)
    this.incoming.set(keyOf(inverted(transferId)), {
      transfer,
      expiresAt,
      stallMs: stallMs ?? DEFAULT_STALL_MS,
      query: { sentAs, enough },
    })
    this.transmit(transferId, query, expiresAt)
    const abort = () => transfer.fail(signal!.reason as Error)
    const leave = () => void (transfer.hasBegun && transfer.fail(enough!.reason as Error))
    signal?.addEventListener('abort', abort, { once: true })
    enough?.addEventListener('abort', leave, { once: true })
    try {
      const answer = decodeUnion(rldpMessage, await transfer.message)
      if (answer.kind !== 'rldp.answer' || !answer.queryId.equals(queryId))
        throw new TransferFailed(`${answer.kind} instead of the answer to the query`)
      this.counts.answers++
      this.counts.answerBytes += answer.data.length
      return answer.data
    } catch (error) {
      if (error !== signal?.reason && error !== enough?.reason)
        this.counts[error instanceof QueryTimedOut ? 'timedOut' : 'failed']++
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
      enough?.removeEventListener('abort', leave)
      this.end(keyOf(inverted(transferId)))
      this.outgoing.delete(sentAs)
    }
  }

  /** Takes the data of a custom message; false if it is not of this protocol. Throws `DecodeError`. */
  receive(data: Buffer): boolean {
    if (!isRldp2Datagram(data)) return false
    const datagram = decodeUnion(rldp2Datagram, data)
    const now = this.options.clock.now()
    if (datagram.kind === 'rldp2.messagePart') this.receivePart(datagram, now)
    else {
      const key = keyOf(datagram.transferId)
      const sending = this.outgoing.get(key)
      sending?.transfer.receive(datagram, now)
      if (sending?.transfer.isComplete) this.outgoing.delete(key)
    }
    return true
  }

  private receivePart(datagram: MessagePart, now: number): void {
    const key = keyOf(datagram.transferId)
    this.counts.symbols++
    const ended = this.ended.get(key)
    if (ended) {
      this.counts.late++
      return void this.completeAgain(ended, datagram, now)
    }
    const open = this.incoming.get(key) ?? this.acceptUnrequested(datagram, now)
    if (!open) return
    // The peer has the query if it answers.
    if (open.query) {
      this.outgoing.get(open.query.sentAs)?.transfer.noteSignOfLife(now)
      this.outgoing.delete(open.query.sentAs)
    }
    open.transfer.receive(datagram, now)
    if (open.query?.enough?.aborted) open.transfer.fail(open.query.enough.reason as Error)
  }

  /** A sender that has much under way needs to hear it once. */
  private completeAgain(ended: Ended, { transferId, part }: MessagePart, now: number): void {
    if (part === ended.part && now - ended.saidAt < COMPLETE_AGAIN_MS) return
    ended.part = part
    ended.saidAt = now
    this.send({ kind: 'rldp2.complete', transferId, part })
  }

  /** An unrequested transfer: a query of the peer. */
  private acceptUnrequested({ transferId }: MessagePart, now: number): OpenIncoming | undefined {
    if (!this.options.onQuery || this.unrequested >= MAX_UNREQUESTED) return undefined
    if (this.answering >= MAX_ANSWERING) return undefined
    const transfer = this.expect(transferId, MAX_UNREQUESTED_SIZE, this.options.memory.unrequested)
    const expiresAt = now + UNREQUESTED_MS
    const open = { transfer, expiresAt, stallMs: UNREQUESTED_MS }
    const key = keyOf(transferId)
    this.incoming.set(key, open)
    this.unrequested++
    // A query that does not arrive or is none gets no answer, as everywhere in this protocol.
    void transfer.message
      .finally(() => {
        this.unrequested--
        this.end(key)
      })
      .then((bytes) => this.answer(transferId, decodeUnion(rldpMessage, bytes)))
      .catch(() => {})
    return open
  }

  private async answer(transferId: Buffer, message: RldpMessage): Promise<void> {
    if (message.kind !== 'rldp.query') return
    const { queryId, maxAnswerSize, timeout } = message
    const { clock } = this.options
    const leftMs = Math.min(ANSWER_MS, (timeout - clock.unixTime()) * 1_000)
    this.answering++
    const data = await this.options
      .onQuery?.(message.data)
      .catch(() => undefined)
      .finally(() => this.answering--)
    if (!data || leftMs <= 0 || BigInt(data.length) > maxAnswerSize) return
    this.transmit(inverted(transferId), { kind: 'rldp.answer', queryId, data }, clock.now() + leftMs)
  }

  private expect(id: Buffer, maxSize: number, memory: MemoryBudget): IncomingTransfer {
    const { restoreBlock } = this.options
    const send = (datagram: Rldp2Datagram) => this.send(datagram)
    return new IncomingTransfer({ id, maxSize, restoreBlock, memory, counts: this.counts, send })
  }

  private transmit(id: Buffer, message: RldpMessage, expiresAt: number): void {
    const now = this.options.clock.now()
    this.counts.sent++
    const bytes = encodeUnion(rldpMessage, message, 'data' in message ? message.data.length + 128 : 256)
    const send = (datagram: Rldp2Datagram) => this.send(datagram)
    const transfer = new OutgoingTransfer({ id, message: bytes, send, line: this.line }, now)
    this.outgoing.set(keyOf(id), { transfer, expiresAt })
    transfer.send(now)
  }

  private send(datagram: Rldp2Datagram): void {
    this.options.send(encodeUnion(rldp2Datagram, datagram, datagram.kind === 'rldp2.messagePart' ? 896 : 64))
  }

  /** Confirms, repeats, and ends what took too long. */
  tick(): void {
    const now = this.options.clock.now()
    for (const { transfer, expiresAt, stallMs, query } of this.incoming.values()) {
      transfer.tick(now)
      const isStalled = transfer.lastSymbolAt !== undefined && now - transfer.lastSymbolAt > stallMs
      const endsAt = query ? expiresAt + extraMs(transfer.receivedBytes) : expiresAt
      if (now >= endsAt || isStalled) transfer.fail(new QueryTimedOut('no complete answer in time'))
    }
    for (const [key, { transfer, expiresAt }] of this.outgoing)
      if (now >= expiresAt) this.outgoing.delete(key)
      else transfer.send(now)
    for (const [key, { forgetAt }] of this.ended) {
      if (forgetAt > now && this.ended.size <= MAX_REMEMBERED) break
      this.ended.delete(key)
    }
  }

  private end(key: string): void {
    this.incoming.delete(key)
    const forgetAt = this.options.clock.now() + REMEMBERED_MS
    this.ended.set(key, { forgetAt, part: -1, saidAt: Number.NEGATIVE_INFINITY })
  }

  /** Ends everything; queries reject. */
  close(): void {
    for (const { transfer } of this.incoming.values()) transfer.fail(new QueryTimedOut('the peer was closed'))
    this.outgoing.clear()
  }
}
