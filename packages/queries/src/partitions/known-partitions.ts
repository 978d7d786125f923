import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { sharedBy } from '../connections/keep-plans.ts'
import { ALL_LT, statement } from '../idiom/index.ts'

/** Raw: the catalogue. Transactions and messages have the same partitions. */
const PARTITIONS = statement<{ readonly starts: readonly bigint[]; readonly filtered: readonly string[] }>(
  'partitions by their first lt',
  { starts: 'int8[]', filtered: 'text[]' },
)

/** The newest partition may have been made ahead and be empty. */
const NEWEST = 2
/** Partitions are added every few days. Milliseconds. */
const KEPT_MS = 60_000

/** Partitions of transactions and messages, which have the same bounds. */
export interface Partitions {
  /** First lt of each, oldest first. */
  readonly starts: readonly bigint[]
  /** First lt of the newest two. */
  readonly newest: bigint
  /** Tables of which some partitions have filters. */
  readonly filtered: ReadonlySet<string>
}

interface Known extends Partitions {
  readonly readAt: number
}

const known = new WeakMap<object, Known>()

/** As of a minute ago at most; rows that move meanwhile are found nevertheless. */
export async function knownPartitions(db: Db): Promise<Partitions> {
  const key = sharedBy(db)
  const last = known.get(key)
  if (last && performance.now() - last.readAt < KEPT_MS) return last
  const [row] = await PARTITIONS.rows(
    db,
    sql`
    select coalesce(array_agg(start order by start), '{}') as starts,
      array(select distinct of_table from hash_filters where is_complete) as filtered
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    cross join lateral (
      select substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(''(\\d+)''')::int8 as start
    ) x
    where i.inhparent = 'transactions'::regclass`,
  )
  const { starts, filtered } = row!
  const read = {
    starts,
    newest: starts.at(-NEWEST) ?? starts[0] ?? ALL_LT.from,
    filtered: new Set(filtered),
    readAt: performance.now(),
  }
  known.set(key, read)
  return read
}

/** The lt at which the newest two partitions begin. */
export const newestPartitions = async (db: Db): Promise<bigint> => (await knownPartitions(db)).newest
