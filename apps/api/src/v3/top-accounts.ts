import type { TopAccountsQuery } from '@shardwalk/api-schema'
import { sql } from 'kysely'
import { clampInt8, decodeCursor, encodeCursor } from '../http/cursor.ts'
import type { Page, RequestContext } from '../http/route.ts'
import type { Condition } from './queries/sql.ts'

/** Accounts that hold this much are in the order of an index; who holds less is far down the list. Nanotons. */
const RICH = 1_000_000_000_000n

interface Ranked {
  readonly account_id: bigint
  readonly balance: bigint
}

/** GET /topAccountsByBalance: balance descending, ties by account ascending. */
export async function topAccounts({ db, accounts }: RequestContext, query: TopAccountsQuery): Promise<Page> {
  const { limit, offset } = query
  const after = query.cursor === undefined ? sql`true` : beyond(decodeCursor(query.cursor, 'top', 2))
  const list = (condition: Condition) =>
    sql<Ranked>`
      select account_id, balance from latest_account_states where ${condition} and ${after}
      order by balance desc, account_id limit ${limit + 1} offset ${offset}`.execute(db)
  const rich = await list(sql`balance >= ${sql.lit(Number(RICH))}`)
  const { rows } = rich.rows.length > limit ? rich : await list(sql`true`)
  const page = rows.slice(0, limit)
  const directory = await accounts.load(
    db,
    page.map((row) => row.account_id),
    { states: false },
  )
  const items = page.map((row) => `{"account":"${directory.get(row.account_id).raw}","balance":"${row.balance}"}`)
  const last = page.at(-1)
  const next = rows.length > limit && last ? encodeCursor('top', [last.balance, last.account_id]) : undefined
  return { items, next }
}

function beyond(position: readonly bigint[]): Condition {
  const [balance, id] = position.map(clampInt8)
  return sql`balance <= ${balance} and (balance < ${balance} or account_id > ${id})`
}
