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
      sql`${after ? sql`` : KEEP_PLAN} select account_id, balance from latest_account_states
        where ${after ? behind(after) : sql`true`}
        order by balance_rank desc, balance desc, account_id limit ${limit} offset ${offset}`,
    ),
  )

const behind = ({ balance, account_id }: TopAccountRow) => sql`balance_rank <= ${rankOf(balance)}
  and (balance < ${balance} or (balance = ${balance} and account_id > ${account_id}))`

/** Same formula as the column `balance_rank`. */
function rankOf(balance: bigint): number {
  const digits = String(balance)
  return digits.length * 100 + Number(digits.slice(0, 2))
}
