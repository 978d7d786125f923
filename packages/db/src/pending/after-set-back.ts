import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** More seconds than any time of a pending message but its end is ahead. */
const AHEAD_S = 120

/**
 * Times of pending messages that are ahead were written by a clock of the database that has been set back
 * since: without this the messages would not be examined, or given up, until the clock is there again, and
 * their receivers would be at their limit. Moves all times of such a message back alike.
 */
export const movePendingAfterSetBack = async (db: Db): Promise<void> => {
  const newest = sql`greatest(admitted_at, changed_at, leased_until, nullif(due_at, 'infinity'))`
  const moved = (column: string) => sql`${sql.ref(column)} - (${newest} - now())`
  await sql`
    update pending_traces set admitted_at = ${moved('admitted_at')}, changed_at = ${moved('changed_at')},
      expires_at = ${moved('expires_at')}, due_at = ${moved('due_at')},
      leased_until = ${moved('leased_until')}
    where ${newest} > now() + make_interval(secs => ${AHEAD_S})`.execute(db)
}
