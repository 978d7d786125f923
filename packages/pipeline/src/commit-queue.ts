import type { DecodedBatch, Sink } from './ports.ts'

type Batches<Rows> = readonly DecodedBatch<Rows>[]

/** Where batches are written, and how many at a time. */
export interface CommitQueueOptions<Rows> {
  readonly sink: Pick<Sink<Rows>, 'commit'>
  /** Number of concurrent transactions with history. */
  readonly parallel: number
  /** Called after each transaction with its duration in milliseconds. */
  readonly onCommit: (batches: Batches<Rows>, durationMs: number) => void
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
}

/** Work in progress on blocks of the head; later blocks are not written before it. */
export interface HeadTurn<Rows> {
  commit(batches: Batches<Rows>): Promise<void>
  /** Must be called, whether or not anything was committed. */
  end(): void
}

/** Of a batch that is not of the head. */
export interface HistoryOptions {
  /** Gives up the place in the queue; a transaction that has begun continues. */
  readonly signal?: AbortSignal
  /** Called when the transaction begins. */
  readonly onBegin?: () => void
}

interface Waiting<Rows> {
  readonly batches: Batches<Rows>
  readonly onBegin?: () => void
  resolve(): void
  reject(error: unknown): void
}

interface Turn<Rows> {
  readonly seqno: number
  waiting: Waiting<Rows> | undefined
}

/** Limit for merged transactions of the head. */
const MAX_MERGED_SEQNOS = 32

/**
 * Decides which transaction is next. The head goes first and in order, and its waiting blocks are written
 * together, so that a slow transaction delays it only once. History is written when no block of the head
 * waits.
 */
export class CommitQueue<Rows> {
  /** Ordered by seqno. */
  private readonly turns: Turn<Rows>[] = []
  private readonly history: Waiting<Rows>[] = []
  private runningHistory = 0
  private isHeadRunning = false

  constructor(private readonly options: CommitQueueOptions<Rows>) {}

  /** `from`: the first of the blocks to be written. */
  beginHead(from: number): HeadTurn<Rows> {
    const turn: Turn<Rows> = { seqno: from, waiting: undefined }
    const at = this.turns.findIndex((other) => other.seqno > from)
    this.turns.splice(at < 0 ? this.turns.length : at, 0, turn)
    return {
      commit: (batches) =>
        new Promise((resolve, reject) => {
          turn.waiting = { batches, resolve, reject }
          this.start()
        }),
      end: () => {
        const index = this.turns.indexOf(turn)
        if (index >= 0) this.turns.splice(index, 1)
        this.start()
      },
    }
  }

  /** Writes history. */
  async commit(batches: Batches<Rows>, { signal, onBegin }: HistoryOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    let leave = () => {}
    const written = new Promise<void>((resolve, reject) => {
      const waiting: Waiting<Rows> = { batches, resolve, reject, ...(onBegin && { onBegin }) }
      leave = () => {
        const at = this.history.indexOf(waiting)
        if (at >= 0) this.history.splice(at, 1)
        if (at >= 0) reject(signal?.reason)
      }
      this.history.push(waiting)
    })
    signal?.addEventListener('abort', leave, { once: true })
    this.start()
    await written.finally(() => signal?.removeEventListener('abort', leave))
  }

  private start(): void {
    if (!this.isHeadRunning) {
      const ready = this.takeReady()
      if (ready.length > 0) void this.runHead(ready)
    }
    while (!this.isHeadRunning && this.runningHistory < this.options.parallel) {
      const next = this.history.shift()
      if (!next) return
      void this.runHistory(next)
    }
  }

  /** The ready blocks of the head, up to the first turn that is not ready. */
  private takeReady(): Waiting<Rows>[] {
    const ready: Waiting<Rows>[] = []
    let seqnos = 0
    for (const turn of this.turns) {
      const { waiting } = turn
      if (!waiting || (ready.length > 0 && seqnos + waiting.batches.length > MAX_MERGED_SEQNOS)) break
      turn.waiting = undefined
      seqnos += waiting.batches.length
      ready.push(waiting)
    }
    return ready
  }

  private async runHead(ready: readonly Waiting<Rows>[]): Promise<void> {
    this.isHeadRunning = true
    await this.writeTogether(ready)
    this.isHeadRunning = false
    this.start()
  }

  private async runHistory(next: Waiting<Rows>): Promise<void> {
    this.runningHistory++
    next.onBegin?.()
    await this.write(next)
    this.runningHistory--
    this.start()
  }

  /** If that fails, each block is written separately, so that a bad one does not affect its neighbours. */
  private async writeTogether(all: readonly Waiting<Rows>[]): Promise<void> {
    const [first, ...rest] = all
    if (first && rest.length === 0) return this.write(first)
    try {
      await this.transaction(all.flatMap(({ batches }) => batches))
    } catch {
      for (const one of all) await this.write(one)
      return
    }
    for (const { resolve } of all) resolve()
  }

  private async write({ batches, resolve, reject }: Waiting<Rows>): Promise<void> {
    await this.transaction(batches).then(resolve, reject)
  }

  private async transaction(batches: Batches<Rows>): Promise<void> {
    const { sink, now, onCommit } = this.options
    const startedAt = now()
    await sink.commit(batches)
    onCommit(batches, now() - startedAt)
  }
}
