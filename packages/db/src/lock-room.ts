import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Whether the lock table of the server suffices for statements that touch every partition. */
export interface LockRoom {
  /** Tables and indexes of all partitions: so many locks a statement takes that cannot be pruned. */
  readonly relations: number
  /** Setting `max_locks_per_transaction`. */
  readonly perTransaction: number
  /** Transactions that the lock table is made for: `max_connections` and `max_prepared_transactions`. */
  readonly transactions: number
}

/** Reads the settings and the number of relations from the server. */
export async function readLockRoom(db: Db): Promise<LockRoom> {
  const { rows } = await sql<LockRoom>`
    select current_setting('max_locks_per_transaction')::int as "perTransaction",
      current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int
        as transactions,
      (select count(*)::int from pg_class where relnamespace = current_schema()::regnamespace
        and (relispartition or relkind in ('p', 'I'))) as relations`.execute(db)
  return rows[0]!
}

/** Statements at once for which there has to be room. */
const AT_ONCE = 64

/**
 * The value of `max_locks_per_transaction` that the server should have; undefined if the present one is
 * enough. Without enough room statements fail with "out of shared memory". All locks share one table of
 * `max_locks_per_transaction` times the number of transactions. Source: PostgreSQL manual, "Lock Management".
 */
export function locksWanted({ relations, perTransaction, transactions }: LockRoom): number | undefined {
  const needed = Math.ceil((relations * AT_ONCE) / transactions)
  return needed <= perTransaction ? undefined : 2 ** Math.ceil(Math.log2(needed))
}

/**
 * Tells `warn` what to change if the server has too few locks. For the start of a process: a database that
 * does not answer is no reason to stop here.
 */
export async function warnOfFewLocks(db: Db, warn: (message: string) => void): Promise<void> {
  const room = await readLockRoom(db).catch(() => undefined)
  const wanted = room && locksWanted(room)
  if (wanted)
    warn(
      `PostgreSQL may run out of locks: set max_locks_per_transaction = ${wanted} ` +
        `(now ${room.perTransaction}) and restart it; see docs/partitions.md`,
    )
}
