import type { ReplayChain } from './chain.ts'

/**
 * Moves the head of a replayed chain at constant speed to the end of the recording. Shard blocks are signed
 * half-way before the masterchain commits them.
 */
export class HeadMover {
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly chain: ReplayChain,
    /** Masterchain blocks per second; 0 does not move. */
    private readonly speed: number,
  ) {}

  start(): void {
    if (this.speed <= 0) return
    const startedAt = performance.now()
    const from = this.chain.headSeqno
    // Uses elapsed time rather than ticks, so that late timers do not slow the chain down.
    const move = () => {
      const passed = ((performance.now() - startedAt) / 1000) * this.speed
      const seqno = from + Math.floor(passed)
      this.chain.setSigned(from + Math.round(passed))
      if (seqno !== this.chain.headSeqno) this.chain.setHead(seqno)
      if (seqno >= this.chain.recording.last) this.stop()
    }
    this.timer = setInterval(move, Math.max(1, Math.min(500 / this.speed, 1000)))
  }

  stop(): void {
    clearInterval(this.timer)
  }
}
