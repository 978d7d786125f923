/** How much a room holds. */
export interface ByteLimits {
  /** Bytes held in total and per client. */
  readonly bytes: number
  readonly bytesPerClient: number
}

/** The limit that does not allow so many more bytes. */
export type ByteLimit = 'all' | 'client'

/** What happens to work that finds no room. */
export interface ByteRoomOptions {
  /** The error of those for whom there is no room. */
  readonly refusal: (limit: ByteLimit) => Error
  /** Longest wait for room. Milliseconds. */
  readonly maxWaitMs: number
}

/** Less is not counted, so that small work is done however much is held. */
const FREE_BYTES = 65_536

/** Bytes held in total and by client, and who waits for some. */
export class ByteRoom {
  /** Bytes that are held. */
  held = 0
  private readonly byClient = new Map<string, number>()
  private readonly queue = new Set<Waiting>()

  constructor(
    private readonly limits: ByteLimits,
    readonly options: ByteRoomOptions,
  ) {}

  get waiting(): number {
    return this.queue.size
  }

  /** Negative: releases them. */
  add(client: string | undefined, bytes: number): void {
    this.held += bytes
    if (client !== undefined) {
      const left = (this.byClient.get(client) ?? 0) + bytes
      if (left > 0) this.byClient.set(client, left)
      else this.byClient.delete(client)
    }
    if (bytes < 0) this.admit()
  }

  lacking(client: string | undefined, bytes: number): ByteLimit | undefined {
    if (client !== undefined && (this.byClient.get(client) ?? 0) + bytes > this.limits.bytesPerClient)
      return 'client'
    return this.held + bytes > this.limits.bytes ? 'all' : undefined
  }

  /** Whether there is room that no earlier request waits for. */
  mayEnter(client: string | undefined, bytes: number): boolean {
    if (this.lacking(client, bytes)) return false
    for (const first of this.queue) if (this.lacking(first.client, first.bytes) === 'all') return false
    return true
  }

  wait(waiting: Waiting): void {
    this.queue.add(waiting)
  }

  leave(waiting: Waiting): void {
    this.queue.delete(waiting)
    this.admit()
  }

  /** In the order of arrival; only those whose client holds too much are passed by. */
  private admit(): void {
    for (const waiting of this.queue) {
      const limit = this.lacking(waiting.client, waiting.bytes)
      if (limit === 'all') return
      if (limit === 'client') continue
      this.queue.delete(waiting)
      waiting.enter()
    }
  }
}

interface Waiting {
  /** Undefined: without a limit of its own. */
  readonly client: string | undefined
  readonly bytes: number
  readonly enter: () => void
}

/** What one piece of work holds of the room, until it ends. */
export class ByteShare {
  private own = 0
  private isOver = false
  private readonly waits = new Set<() => void>()

  /** `client`: undefined if it has no limit of its own. */
  constructor(
    private readonly room: ByteRoom,
    private readonly client: string | undefined,
  ) {}

  /** Takes bytes that are in use already. Throws the room's refusal. */
  hold(bytes: number): void {
    if (this.isFree(bytes)) return
    const limit = this.room.lacking(this.client, bytes)
    if (limit) throw this.room.options.refusal(limit)
    this.add(bytes)
  }

  /** Takes bytes, and waits for them if there is too little room. Rejects with the room's refusal. */
  async take(bytes: number): Promise<void> {
    if (this.isFree(bytes)) return
    if (this.room.mayEnter(this.client, bytes)) return this.add(bytes)
    await this.enter(bytes)
  }

  /** Gives everything back, and waits for nothing more. */
  end(): void {
    this.isOver = true
    const held = this.own
    this.own = 0
    this.room.add(this.client, -held)
    for (const leave of this.waits) leave()
  }

  /** What is taken after the end is dropped. */
  private isFree(bytes: number): boolean {
    return bytes <= FREE_BYTES || this.isOver
  }

  private add(bytes: number): void {
    this.room.add(this.client, bytes)
    this.own += bytes
  }

  private enter(bytes: number): Promise<void> {
    const { room, client } = this
    const { refusal, maxWaitMs } = room.options
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void) => {
        clearTimeout(deadline)
        this.waits.delete(leave)
        settled()
      }
      // What this work gives back when it ends may be what it waits for.
      const enter = () => settle(() => (this.isOver ? reject(hasEnded()) : resolve(this.add(bytes))))
      const waiting = { client, bytes, enter }
      const giveUp = (error: Error) =>
        settle(() => {
          room.leave(waiting)
          reject(error)
        })
      const leave = () => giveUp(hasEnded())
      const deadline = setTimeout(() => giveUp(refusal(room.lacking(client, bytes) ?? 'all')), maxWaitMs)
      this.waits.add(leave)
      room.wait(waiting)
    })
  }
}

const hasEnded = () => new Error('the work has ended')
