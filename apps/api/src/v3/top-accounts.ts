import type { TopAccountsQuery } from '@shardwalk/api-schema'
import { sql } from 'kysely'
import { clampInt8, decodeCursor, encodeCursor } from '../http/cursor.ts'
import type { Page, RequestContext } from '../http/route.ts'
import { type Condition, KEEP_PLAN } from './queries/sql.ts'

interface Ranked {
  readonly account_id: bigint
  readonly balance: bigint
}

/** GET /topAccountsByBalance: balance descending, ties by account ascending. Index: latest_account_states (balance_rank), in the same order. */
export async function topAccounts({ db, accounts }: RequestContext, query: TopAccountsQuery): Promise<Page> {
  const { limit, offset } = query
  const after = query.cursor === undefined ? sql`true` : beyond(decodeCursor(query.cursor, 'top', 2))
  const { rows } = await sql<Ranked>`
    ${KEEP_PLAN} select account_id, balance from latest_account_states where ${after}
    order by balance_rank desc, balance desc, account_id limit ${limit + 1} offset ${offset}`.execute(db)
  const page = rows.slice(0, limit)
  const directory = await accounts.load(
    db,
    page.map((row) => row.account_id),
    { states: false },
  )
  const items = page.map(
    (row) => `{"account":"${directory.get(row.account_id).raw}","balance":"${row.balance}"}`,
  )
  const last = page.at(-1)
  const next = rows.length > limit && last ? encodeCursor('top', [last.balance, last.account_id]) : undefined
  return { items, next }
}

function beyond(position: readonly bigint[]): Condition {
  const [balance, id] = position.map(clampInt8)
  return sql`balance_rank <= ${rankOf(balance!)} and (balance < ${balance} or (balance = ${balance} and account_id > ${id}))`
}

/** As the column `balance_rank`. */
function rankOf(balance: bigint): number {
  const digits = String(balance)
  return digits.length * 100 + Number(digits.slice(0, 2))
}
