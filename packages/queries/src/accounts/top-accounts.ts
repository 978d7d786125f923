import type { Db, Row } from '@shardwalk/db'
import { sql } from 'kysely'
import { Cursor, int8, KEEP_PLAN, type Page, type PageRequest, readPage, statement } from '../idiom/index.ts'

/** `balance` in nanotons. */
export type TopAccountRow = Pick<Row<'latest_account_states'>, 'account_id' | 'balance'>

const CURSOR = new Cursor<TopAccountRow>('top', { balance: int8, account_id: int8 })
const TOP = statement<TopAccountRow>('top accounts', { account_id: 'int8', balance: 'int8' })

/**
 * Order: balance descending, account ascending. Index: latest_account_states (balance_rank), in the same
 * order.
 */
export const listTopAccounts = (db: Db, page: PageRequest): Promise<Page<TopAccountRow>> =>
  readPage({ ...page, sort: 'desc' }, { cursor: CURSOR }, ({ limit, offset, after }) =>
    // Raw: `order by` must start with the rank for the index to be used. A plan for any rank, which may be
    // that of any number of accounts, would sort them all.
    TOP.rows(
      db,
      offset > 0 && !after
        ? sql`${KEEP_PLAN} ${skipping(offset)} select account_id, balance from latest_account_states
            where balance_rank <= (select rank from start) ${ORDER}
            limit ${limit} offset ${offset} - (select before from start)`
        : sql`${after ? sql`` : KEEP_PLAN} select account_id, balance from latest_account_states
            where ${after ? behind(after) : sql`true`} ${ORDER} limit ${limit} offset ${offset}`,
    ),
  )

const ORDER = sql`order by balance_rank desc, balance desc, account_id`

/** Clause `with`: the rank that skipping so many leads to, counted in the index, and how many are above. */
const skipping = (offset: number) => sql`
  with skipped as materialized (
    select rank, count(*) as accounts from (
      select balance_rank as rank from latest_account_states order by balance_rank desc limit ${offset}) x
    group by 1
  ), start as materialized (
    select min(e.rank) as rank,
      coalesce(sum(e.accounts) filter (where e.rank > (select min(rank) from skipped)), 0) as before
    from skipped e
  )`

const behind = ({ balance, account_id }: TopAccountRow) => sql`balance_rank <= ${rankOf(balance)}
  and (balance < ${balance} or (balance = ${balance} and account_id > ${account_id}))`

/** Same formula as the column `balance_rank`. */
function rankOf(balance: bigint): number {
  const digits = String(balance)
  return digits.length * 100 + Number(digits.slice(0, 2))
}
