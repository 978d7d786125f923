/** Why the server ends a connection. Codes of RFC 6455, 7.4.1. */
export const CLOSE = { goingAway: 1001, policy: 1008, tooBig: 1009, tryAgain: 1013 } as const

/** The connection under an outbox. */
export interface Transport {
  /** False when it wants no more until it calls `Outbox.flush`. */
  send(frame: Frame): boolean
  close(code: number, reason: string): void
}

/** Connections that get the same text share one. */
export interface Frame {
  /** JSON. */
  readonly text: string
  /** Everything up to this masterchain block was sent before; undefined: not known. */
  readonly after?: number | undefined
  readonly kind: 'event' | 'invalidation' | 'status'
}

/** Beyond either, a connection is closed. */
export interface OutboxLimits {
  readonly frames: number
  /** Characters of JSON. */
  readonly bytes: number
}

const OUTBOX_LIMITS: OutboxLimits = { frames: 256, bytes: 4 * 1024 * 1024 }

interface Waiting {
  readonly frame: Frame
  readonly key: string | undefined
}

/**
 * What a connection has not accepted yet. A newer snapshot replaces the one that waits under the same key,
 * and comes last, because its position says that all before it was sent. A connection that accepts too
 * little is closed, so that its client sees the gap.
 */
export class Outbox {
  private waiting: Waiting[] = []
  private heldBack: Waiting[] = []
  /** Of both. */
  private bytes = 0
  private isReady = true
  private held = 0
  private onRoom: (() => void)[] = []
  isClosed = false

  constructor(
    private readonly transport: Transport,
    private readonly limits: OutboxLimits = OUTBOX_LIMITS,
    private readonly onCoalesced: () => void = () => {},
    private readonly onOverflow: () => void = () => {},
  ) {}

  /** `key`: of snapshots that replace each other. */
  push(frame: Frame, key?: string): void {
    if (this.isClosed) return
    if (this.held === 0 && this.hasRoom) {
      this.isReady = this.transport.send(frame)
      return
    }
    const queue = this.held > 0 ? this.heldBack : this.waiting
    if (key !== undefined) this.dropOlder(queue, key)
    queue.push({ frame, key })
    this.bytes += frame.text.length
    const frames = this.waiting.length + this.heldBack.length
    if (frames > this.limits.frames || this.bytes > this.limits.bytes) {
      this.onOverflow()
      this.close(CLOSE.tryAgain, 'too slow: events were lost')
    }
  }

  /**
   * Not one before an answer or an invalidation: what comes after it belongs to what was asked for then, or
   * replaces what was invalidated.
   */
  private dropOlder(queue: Waiting[], key: string): void {
    const at = queue.findLastIndex((one) => one.key === key || one.frame.kind !== 'event')
    const older = queue[at]
    if (older?.key !== key) return
    queue.splice(at, 1)
    this.bytes -= older.frame.text.length
    this.onCoalesced()
  }

  /**
   * Before what is held back, after what waited before that. Resolves when the connection wants more, or is
   * closed.
   */
  async pushAhead(frame: Frame): Promise<void> {
    // Several may wait for room, and others take it first.
    while (this.isFull) await this.untilRoom()
    if (this.isClosed) return
    this.isReady = this.transport.send(frame)
    while (this.isFull) await this.untilRoom()
  }

  private untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.onRoom.push(resolve)
    })
  }

  private get isFull(): boolean {
    return !this.isClosed && !this.hasRoom
  }

  private get hasRoom(): boolean {
    return this.isReady && this.waiting.length === 0
  }

  /** Keeps what is pushed back until `release`, as often as it was called. */
  hold(): void {
    this.held++
  }

  release(): void {
    if (--this.held > 0) return
    this.waiting.push(...this.heldBack.splice(0))
    if (this.isReady) this.flush()
  }

  /** The connection accepts frames again. */
  flush(): void {
    this.isReady = true
    let sent = 0
    while (this.isReady && sent < this.waiting.length) {
      const { frame } = this.waiting[sent++]!
      this.bytes -= frame.text.length
      this.isReady = this.transport.send(frame)
    }
    if (sent > 0) this.waiting = this.waiting.slice(sent)
    if (this.hasRoom) this.notifyRoom()
  }

  private notifyRoom(): void {
    for (const notify of this.onRoom.splice(0)) notify()
  }

  close(code: number, reason: string): void {
    if (this.isClosed) return
    this.drop()
    this.transport.close(code, reason)
  }

  /** The connection is gone. */
  drop(): void {
    this.isClosed = true
    this.waiting = []
    this.heldBack = []
    this.bytes = 0
    this.notifyRoom()
  }

  /** Whether something is still to be sent before what is sent now. */
  get isBehind(): boolean {
    return this.held > 0 || this.waiting.length > 0
  }
}
