import type { AdnlPeer } from '@shardwalk/adnl'

/** Failures in a row after which a peer rests. */
const PATIENCE = 3
const FIRST_REST_MS = 10_000
const MAX_REST_MS = 600_000
/** For how long a peer that has sent wrong data is not asked. */
const BANNED_MS = 24 * 3_600_000

/** A full node that we may ask, and how well it has answered. */
export class FullNodePeer {
  /** Queries that it is answering. */
  busy = 0
  private failures = 0
  private restsUntil = 0
  private bannedUntil = 0
  private meanMs = 500

  constructor(readonly adnl: AdnlPeer) {}

  isResting(now: number): boolean {
    return now < this.restsUntil
  }

  isBanned(now: number): boolean {
    return now < this.bannedUntil
  }

  /** Expected milliseconds of the next answer; the smaller, the sooner it is asked. */
  get cost(): number {
    return this.meanMs * (1 + this.busy) * (1 + this.failures)
  }

  answered(tookMs: number): void {
    this.failures = 0
    this.restsUntil = 0
    this.meanMs += (tookMs - this.meanMs) / 8
  }

  /** Silence, which may also mean that it does not have what was asked for. */
  failed(now: number): void {
    this.failures++
    if (this.failures < PATIENCE) return
    const restMs = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (this.failures - PATIENCE))
    this.restsUntil = Math.max(this.restsUntil, now + restMs)
  }

  /** It has sent what is not what it says. */
  ban(now: number): void {
    this.bannedUntil = now + BANNED_MS
  }
}
