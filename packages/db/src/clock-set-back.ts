import type pg from 'pg'
import { PRIORITY } from './metadata/token-types.ts'

interface DueTime {
  readonly table: string
  /** When an entry is due or its lease ends. */
  readonly column: string
  /** More than anything sets it ahead. */
  readonly seconds: number
  /** What the index begins with, where the column alone has none and the table may be long. */
  readonly indexed?: { readonly column?: string; readonly condition?: string }
}

const DUE_TIMES: readonly DueTime[] = [
  { table: 'unclassified_traces', column: 'queued_at', seconds: 120 },
  { table: 'refresh_queue', column: 'leased_until', seconds: 600 },
  { table: 'event_queue', column: 'leased_until', seconds: 120 },
  { table: 'undecided_traces', column: 'due_at', seconds: 1_200 },
  { table: 'missing_states', column: 'since', seconds: 60 },
  {
    table: 'hidden_currencies',
    column: 'not_before',
    seconds: 2 * 86_400,
    indexed: { column: `coalesce(not_before, '-infinity')` },
  },
  {
    table: 'metadata_queue',
    column: 'due_at',
    seconds: 7_200,
    indexed: { condition: `priority = any ('{${Object.values(PRIORITY).join()}}')` },
  },
  { table: 'mintless_jettons', column: 'due_at', seconds: 2 * 86_400 },
]

/**
 * An entry that is due later than any postponement was written by a clock that has been set back since:
 * without this it would wait until the clock is there again. Makes it due now and returns the number of
 * entries.
 */
export async function makeDueAfterSetBack(pool: pg.Pool): Promise<number> {
  let changed = 0
  for (const due of DUE_TIMES) changed += (await pool.query(updateOf(due))).rowCount ?? 0
  return changed
}

const updateOf = ({ table, column, seconds, indexed }: DueTime): string => `
  update ${table} set ${column} = now() where ctid = any (array(
    select ctid from ${table} where ${indexed?.condition ?? 'true'}
      and ${indexed?.column ?? column} > now() + make_interval(secs => ${seconds})
    for update skip locked))`
