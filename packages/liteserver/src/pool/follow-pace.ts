/** Minimum time between two requests for the head, however fast the answers come. */
const MIN_SPACING_MS = 50
/** An answer without a newer head after this long shows that the server did wait. */
const WAITED_MS = 1000
const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 1000
/**
 * A server with a rate limit spends at most one in this many requests on its head; fewer if others report it
 * as well.
 */
const LIMITED_SHARE = 3
const SPARED_SHARE = 60

/**
 * Pace of the requests that follow a server's head. Some proxies ignore `waitMasterchainSeqno` and answer at
 * once; they are asked at growing intervals until the head moves.
 */
export class FollowPace {
  private pauseMs = FIRST_PAUSE_MS

  /**
   * Pause before the next request, given the duration of the last one, whether it found a newer head, the
   * server's learned rate limit, and whether other servers report the head as well.
   */
  next(last: {
    readonly tookMs: number
    readonly isNewer: boolean
    readonly perSecond: number | undefined
    readonly isSpared: boolean
  }): number {
    const { tookMs, isNewer, perSecond, isSpared } = last
    const share = isSpared ? SPARED_SHARE : LIMITED_SHARE
    const spacing = Math.max(MIN_SPACING_MS, perSecond === undefined ? 0 : (share * 1000) / perSecond)
    if (isNewer || tookMs >= WAITED_MS) {
      this.pauseMs = FIRST_PAUSE_MS
      return Math.max(spacing - tookMs, 0)
    }
    const backOff = this.pauseMs
    this.pauseMs = Math.min(this.pauseMs * 2, MAX_PAUSE_MS)
    return Math.max(spacing - tookMs, backOff)
  }
}
