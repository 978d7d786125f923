import { FairQueue } from '@shardwalk/concurrency'
import type { Response } from 'express'
import { HttpError } from './errors.ts'

/** Longest wait for a turn before anything is written. Milliseconds; longer than any read takes. */
const MAX_WAIT_MS = 10_000

/**
 * The next read starts when the one in progress ends, or after this time: rows that arrive are processed by
 * one thread, so reads at the same time help only while the database is what they wait for. Milliseconds.
 */
const SLOW_MS = 100

/** The reply that is read for. */
export interface Reader {
  /** Clients take turns. */
  readonly client: string
  readonly response: Response
}

/**
 * Bounds the database connections that large replies occupy, so that small ones find one, and the rows that
 * arrive at once. A turn is one read: it ends before the rows are written, however slowly the client reads.
 */
export class ReadTurns {
  private readonly queue = new FairQueue<() => void>()
  private running = 0
  /** Whether the read that started last may be a short one. */
  private isQuick = false

  /** `most`: reads at a time. `maxWaitMs`: for tests. */
  constructor(
    private readonly most: number,
    private readonly options: { readonly maxWaitMs?: number } = {},
  ) {}

  /** Number of reads that wait. */
  get waiting(): number {
    return this.queue.length
  }

  /** Throws `HttpError` 503 when it is not its turn in time, and the errors of `read`. */
  async take<T>(reader: Reader, read: () => Promise<T>): Promise<T> {
    if (this.mayStart()) this.start()
    else await this.wait(reader)
    const endQuick = this.watchQuick()
    try {
      return await read()
    } finally {
      endQuick()
      this.running--
      this.startNext()
    }
  }

  private mayStart(): boolean {
    return this.running < this.most && !this.isQuick
  }

  /** Counted at once, so that none can get in between. */
  private start(): void {
    this.running++
    this.isQuick = true
  }

  private startNext(): void {
    const next = this.mayStart() ? this.queue.take() : undefined
    if (!next) return
    this.start()
    next()
  }

  /** The read that has just started is quick until it ends or has lasted for some time. */
  private watchQuick(): () => void {
    let isOver = false
    const end = () => {
      clearTimeout(timer)
      if (isOver) return
      isOver = true
      this.isQuick = false
    }
    const timer = setTimeout(() => {
      end()
      this.startNext()
    }, SLOW_MS)
    return end
  }

  private async wait({ client, response }: Reader): Promise<void> {
    if (response.destroyed) throw hasLeft()
    let giveUp = (_error: Error): void => {}
    const turn = new Promise<void>((resolve, reject) => {
      this.queue.push(resolve, { client })
      giveUp = (error) => {
        if (this.queue.remove(resolve)) reject(error)
      }
    })
    const leave = () => giveUp(hasLeft())
    const refuse = () => {
      if (!response.headersSent) giveUp(tooMany())
    }
    const deadline = setTimeout(refuse, this.options.maxWaitMs ?? MAX_WAIT_MS)
    response.once('close', leave)
    try {
      await turn
    } finally {
      clearTimeout(deadline)
      response.off('close', leave)
    }
  }
}

const hasLeft = (): Error => new Error('the client has left')
const tooMany = (): HttpError =>
  new HttpError(503, 'too many large replies in progress', { 'Retry-After': '1' })

/** A page of more rows is large. */
const SMALL_PAGE = 100
/** So many reads of a reply need not wait: its rows, and what belongs to the first of them. */
const FREE_READS = 2

/** The reads of one reply: they take turns with those of others if the reply is large. */
export class ReplyReads {
  private count = 0
  private inProgress = 0

  constructor(
    private readonly turns: ReadTurns,
    private readonly reader: Reader,
    /** Rows of the page; undefined for other replies. */
    private readonly rows: number | undefined,
  ) {}

  /** Throws as `ReadTurns.take`. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    // A read within a read has the turn of the outer one: two of them would wait for each other.
    const isFree = this.inProgress > 0 || !this.isLarge()
    this.inProgress++
    try {
      return await (isFree ? read() : this.turns.take(this.reader, read))
    } finally {
      this.inProgress--
    }
  }

  private isLarge(): boolean {
    return (this.rows ?? 0) > SMALL_PAGE || ++this.count > FREE_READS
  }
}
