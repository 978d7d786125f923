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

/** Postponements that are longer than this are not left to `makeDueAfterSetBack`. Seconds. */
const LONG_S = 3_600

/**
 * Entries that may be put off for long become due earlier by as much as the clock was set back, and so wait
 * as long as they should, or less: each process that notices moves them. Returns their number.
 */
export async function moveDueTimes(pool: pg.Pool, setBackSeconds: number): Promise<number> {
  let changed = 0
  for (const { table, column, indexed } of DUE_TIMES.filter(({ seconds }) => seconds > LONG_S)) {
    const { rowCount } = await pool.query(
      `update ${table} set ${column} = greatest(now(), ${column} - make_interval(secs => $1))
       where ctid = any (array(
         select ctid from ${table} where ${indexed?.condition ?? 'true'}
           and ${indexed?.column ?? column} > now()
         for update skip locked))`,
      [setBackSeconds],
    )
    changed += rowCount ?? 0
  }
  return changed
}

/** Smaller steps are left alone. Milliseconds. */
const STEP_MS = 5_000

/** Compares the clock of the database with that of the process, which is never set back. */
export class DatabaseClock {
  private seen: { readonly databaseMs: number; readonly atMs: number } | undefined

  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Seconds by which it was set back since the last look, at least; 0: it was not. */
  async setBackSeconds(): Promise<number> {
    const { now, seen } = this
    // Between a moment after the last answer and one before this question: neither wait counts.
    const askedAt = now()
    const { rows } = await this.pool.query<{ readonly ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    )
    const databaseMs = rows[0]!.ms
    this.seen = { databaseMs, atMs: now() }
    if (!seen) return 0
    const missing = askedAt - seen.atMs - (databaseMs - seen.databaseMs)
    return missing > STEP_MS ? missing / 1000 : 0
  }
}
