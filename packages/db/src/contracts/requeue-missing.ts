import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

// Reasons of `missing_states.what` that begin with one of these words name what would help by its hash, so
// that contracts are found when it is stored. Each end is the first text after all that begin so.
const LIBRARY = 'library '
const LIBRARY_END = 'library!'
const CELL = 'cell '
const CELL_END = 'cell!'

/** The reason stored for a contract that needs a library (hash in hex). */
export const missingLibrary = (hash: string): string => LIBRARY + hash

/** The reason stored for a state that is incomplete; `lacking`: hash of a cell that would be needed. */
export const missingState = (what: string, lacking: Buffer | undefined): string =>
  `${lacking ? `${CELL}${lacking.toString('hex')} of the ` : ''}state of ${what}`

/** The expression of the index missing_states_what. The whole reason of a library fits. */
const INDEXED_REASON = sql.raw('"left"(what, 80) collate "C"')

/**
 * Queues contracts that were set aside at least `afterSeconds` ago, at most `limit`. `what`: the reason; any
 * if absent. Indexes: missing_states_since, missing_states_what.
 */
export async function requeueMissing(
  db: Db,
  {
    afterSeconds,
    limit,
    what,
  }: { readonly afterSeconds: number; readonly limit: number; readonly what?: string | undefined },
): Promise<void> {
  const reason =
    what === undefined ? sql`true` : sql`${INDEXED_REASON} = left(${what}, 80) and what = ${what}`
  await requeueDue(
    sql`where since <= now() - make_interval(secs => ${afterSeconds}) and ${reason}
      order by since limit ${limit}`,
  ).execute(db)
}

/** A page of the libraries that contracts wait for, in the order of their hashes. */
interface AwaitedLibraries {
  /** Those of the page that are among the stored codes. */
  readonly stored: readonly Buffer[]
  /** The last one of a full page; undefined: there are no more. */
  readonly last: Buffer | undefined
}

/**
 * Looks at `limit` libraries after a hash, by default at all. Reads one entry of the index
 * missing_states_what per library, however many contracts wait for it.
 */
export async function readAwaitedLibraries(
  db: Db,
  { after, limit }: { readonly after?: Buffer | undefined; readonly limit?: number } = {},
): Promise<AwaitedLibraries> {
  const next = (reason: RawBuilder<unknown>) => sql`(
    select ${INDEXED_REASON} from missing_states
    where ${INDEXED_REASON} > ${reason} and ${INDEXED_REASON} < ${LIBRARY_END}
    order by 1 limit 1)`
  const { rows } = await sql<{ hash: Buffer; is_stored: boolean }>`
    with recursive libraries(what) as (
      select ${next(sql`${after ? missingLibrary(after.toString('hex')) : LIBRARY}`)} union all
      select ${next(sql`libraries.what`)} from libraries where libraries.what is not null)
    select hash, exists (select from codes where code_hash = hash) as is_stored from (
      select decode(substr(what, ${LIBRARY.length + 1}, 64), 'hex') as hash from libraries
      where what is not null limit ${limit ?? null}::int8) l`.execute(db)
  return {
    stored: rows.filter((row) => row.is_stored).map((row) => row.hash),
    last: rows.length === limit ? rows.at(-1)?.hash : undefined,
  }
}

/** Queues contracts that wait for one of these libraries, at most `limit`. */
export async function requeueWithLibraries(
  db: Db,
  { hashes, limit }: { readonly hashes: readonly Buffer[]; readonly limit: number },
): Promise<void> {
  if (hashes.length === 0) return
  const reasons = hashes.map((hash) => missingLibrary(hash.toString('hex')))
  await requeueDue(sql`where ${INDEXED_REASON} = any (${reasons}::text[]) limit ${limit}`).execute(db)
}

/**
 * Queues contracts whose states lack a cell which is now the root of a stored code: the data of a master has
 * the code of its wallets. Looks at up to `seen` of them, the cells in their order from a random one.
 */
export async function requeueWithCell(
  db: Db,
  { limit, seen }: { readonly limit: number; readonly seen: number },
): Promise<void> {
  const start = sql`${CELL} || md5(random()::text)`
  await requeueDue(sql`
    where account_id in (
      select m.account_id from (
        (select account_id, what from missing_states
          where ${INDEXED_REASON} >= (select ${start}) and ${INDEXED_REASON} < ${CELL_END}
          order by ${INDEXED_REASON}, since limit ${seen})
        union all
        (select account_id, what from missing_states
          where ${INDEXED_REASON} > ${CELL} and ${INDEXED_REASON} < ${CELL_END}
          order by ${INDEXED_REASON}, since limit ${seen})) m
      join codes c on c.code_hash = decode(substr(m.what, ${CELL.length + 1}, 64), 'hex'))
    limit ${limit}`).execute(db)
}

const requeueDue = (selection: RawBuilder<unknown>) => sql`
  with due as (
    delete from missing_states where account_id in (
      select account_id from missing_states ${selection} for update skip locked)
    returning account_id)
  insert into refresh_queue (account_id, lt)
  select account_id, s.lt from due join latest_account_states s using (account_id) order by account_id
  on conflict (account_id) do nothing`
