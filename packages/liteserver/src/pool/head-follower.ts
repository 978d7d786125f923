import { LITE_ERROR, type LiteResults, type WaitPrefix } from '@shardwalk/tl'
import { type Clock, delay } from '../clock.ts'
import { LiteServerError } from '../errors.ts'
import { FollowPace } from './follow-pace.ts'
import { isRateLimit } from './verdict.ts'

/** A server's answer to the question for its head. */
export type MasterchainInfo = LiteResults['liteServer.getMasterchainInfo']

/** What a follower uses of the server and of its connection. */
export interface Followed {
  /** Asks for the head, for its successor with a wait; rejects if the server or its answer is refused. */
  readonly read: (wait?: WaitPrefix) => Promise<MasterchainInfo>
  /** The connection is gone. */
  readonly isOver: () => boolean
  /** Whether others report new heads as well; see `FollowPace`. */
  readonly isSpared: () => boolean
  /** Learned rate limit in requests per second. */
  readonly perSecond: () => number | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Maximum wait that servers accept; also how often a standing query is renewed. */
const STANDING_WAIT_MS = 10_000
const REFUSED_PAUSE_MS = 1000

/** Follows the head of a server from `seqno` on with a standing wait query, until its connection is lost. */
export async function followHead(followed: Followed, seqno: number): Promise<void> {
  const { clock, isOver, isSpared, perSecond, signal } = followed
  const pace = new FollowPace()
  let head = seqno
  // A pause may outlast the connection: the next one is followed by itself.
  while (!isOver()) {
    const start = clock.now()
    const next = head + 1
    head = (await headAfterWait(followed, next)) ?? head
    const pauseMs = pace.next({
      tookMs: clock.now() - start,
      isNewer: head >= next,
      perSecond: perSecond(),
      isSpared: isSpared(),
    })
    if (pauseMs > 0) await delay(clock, pauseMs, signal)
  }
}

/** Undefined if there was no new block during the wait, or the server refuses to say. */
async function headAfterWait({ read, clock, signal }: Followed, seqno: number): Promise<number | undefined> {
  try {
    return (await read({ seqno, timeoutMs: STANDING_WAIT_MS })).last.seqno
  } catch (error) {
    if (!(error instanceof LiteServerError)) throw error
    if (error.serverCode === LITE_ERROR.timeout) return undefined
    await delay(clock, REFUSED_PAUSE_MS, signal)
    if (isRateLimit(error)) return undefined
  }
  // The server may be far behind the head that it had before.
  return read().then(
    ({ last }) => last.seqno,
    (error) => {
      if (!(error instanceof LiteServerError)) throw error
      return undefined
    },
  )
}
