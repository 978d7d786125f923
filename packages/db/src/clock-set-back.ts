import type pg from 'pg'

/**
 * Times in queues at which an entry is due or its lease ends, and more seconds than anything sets them ahead.
 * Every column has an index, or its table is short.
 */
const DUE_TIMES = [
  ['unclassified_traces', 'trace_id', 'queued_at', 120],
  ['refresh_queue', 'account_id', 'leased_until', 600],
  ['event_queue', 'mc_seqno', 'leased_until', 120],
  ['undecided_traces', 'piece', 'due_at', 1_200],
] as const

/**
 * An entry that is due later than any postponement was written by a clock that has been set back since:
 * without this it would wait until the clock is there again. Makes it due now and returns the number of
 * entries.
 */
export async function makeDueAfterSetBack(pool: pg.Pool): Promise<number> {
  let changed = 0
  for (const [table, key, column, seconds] of DUE_TIMES) {
    const { rowCount } = await pool.query(
      `update ${table} set ${column} = now() where ${key} in (
         select ${key} from ${table} where ${column} > now() + make_interval(secs => ${seconds})
         for update skip locked)`,
    )
    changed += rowCount ?? 0
  }
  return changed
}
