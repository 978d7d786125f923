import { type ClaimedPending, COMPLETE_TRACE, PENDING_STATE, type PendingUpdate } from '@shardwalk/db'
import type { TraceRow } from '@shardwalk/queries'
import type { StoredTrace } from './stored-trace.ts'

/** What to do with a message after its examination. */
export type Verdict =
  | { readonly kind: 'keep'; readonly update: PendingUpdate }
  | { readonly kind: 'invalidate'; readonly reason: string }
  | { readonly kind: 'delete' }

/** The message stays, with the result of its examination. */
export const keep = (update: PendingUpdate): Verdict => ({ kind: 'keep', update })

/** Milliseconds. A trace that has begun is given up when nothing happens in it. Source: TON Center. */
export const SILENT_MS = 60_000
/** How long the trace stays beside the indexed one, which replicas may get later. */
const DONE_MS = 30_000
/** How long the classifier of the index is waited for. */
const CLASSIFIED_MS = 600_000
/** Interval at which a trace that has happened is examined. Milliseconds. */
export const DONE_CHECK_MS = 2_000
/** How long signed blocks may take to become final, which the index may show late. */
const CONFIRMED_MS = 600_000
/** Interval of checks whether other blocks became final in their place. */
export const UNCERTAIN_CHECK_MS = 1_000
/** How long a message without a stated validity is expected to be executed. */
const LIFE_MS = 30_000
/** Time after its stated validity, and at most since it was admitted, at which a message is given up. */
const AFTER_VALID_MS = 15_000
const MAX_LIFE_MS = 60_000

/** Whether readers have seen the message. */
export const isPublished = ({ state }: Pick<ClaimedPending, 'state'>): boolean =>
  PENDING_STATE[state] === 'pending'

/** Decides on a message that will not be executed: deleted if readers have not seen it, else invalidated. */
export const givenUp = (claim: Pick<ClaimedPending, 'state'>, reason: string): Verdict =>
  isPublished(claim) ? { kind: 'invalidate', reason } : { kind: 'delete' }

/** Whether a part of the trace is in blocks that are not final. */
export const hasConfirmed = (stored: Pick<StoredTrace, 'expected'> | undefined): boolean =>
  stored?.expected.some(({ confirmed }) => confirmed !== undefined) === true

/** Decides on a trace that has begun and has not changed since the last examination. */
export function judgeBegun(
  { changed_ms }: Pick<ClaimedPending, 'changed_ms'>,
  { state, unclassified, failed }: Pick<TraceRow, 'state' | 'unclassified' | 'failed'>,
  stored: Pick<StoredTrace, 'expected'> | undefined,
): Verdict {
  const silentMs = -changed_ms
  if (state !== COMPLETE_TRACE) {
    const isUncertain = hasConfirmed(stored)
    const patienceMs = isUncertain ? CONFIRMED_MS : SILENT_MS
    return silentMs >= patienceMs
      ? { kind: 'invalidate', reason: 'expired: the rest of the trace did not happen' }
      : keep({ dueMs: isUncertain ? UNCERTAIN_CHECK_MS : SILENT_MS - silentMs })
  }
  const isClassified = failed || !unclassified
  const isOver = silentMs >= (isClassified ? DONE_MS : CLASSIFIED_MS)
  return isOver ? { kind: 'delete' } : keep({ dueMs: DONE_CHECK_MS })
}

/** Decides on a trace whose root is in a block that is not final and that has not changed since. */
export const judgeConfirmed = (claim: Pick<ClaimedPending, 'state' | 'changed_ms'>): Verdict =>
  -claim.changed_ms >= CONFIRMED_MS
    ? givenUp(claim, 'expired: its block did not become final')
    : keep({ dueMs: UNCERTAIN_CHECK_MS })

/** How far the time of the index may be behind that of lite servers, and the interval of checking it. */
const BEHIND_MS = 5_000
const BEHIND_LOOK_MS = 1_000

/**
 * Milliseconds until the next examination of a message that servers accept and the indexed state refuses,
 * because the servers are ahead. Its receiver will change, which is noticed, or the message becomes valid at
 * a later second (`created_at` of a highload wallet v3).
 */
export function refusedCheckMs({
  admitted_ms,
  expires_ms,
}: Pick<ClaimedPending, 'admitted_ms' | 'expires_ms'>): number {
  const ageMs = -admitted_ms
  return ageMs < BEHIND_MS ? Math.min(Math.max(BEHIND_LOOK_MS, ageMs), expires_ms) : expires_ms
}

interface Validity {
  /** When it was admitted: milliseconds from now, the past negative. */
  readonly admittedMs: number
  /** Until when its wallet accepts it, Unix seconds; undefined: unknown. */
  readonly validUntil: number | undefined
  /** The time of the chain, which decides what is valid. */
  readonly utime: number
}

/**
 * Milliseconds until a message that is not executed is given up. Computed again whenever its receiver
 * changes, from the age of the message, because some receivers change with every block.
 */
export function lifeMs({ admittedMs, validUntil, utime }: Validity): number {
  const validMs = validUntil === undefined ? LIFE_MS : (validUntil - utime) * 1000 + AFTER_VALID_MS
  return Math.max(0, Math.min(validMs, MAX_LIFE_MS + admittedMs))
}
