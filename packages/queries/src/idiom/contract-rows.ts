import type { Db, Row } from '@shardwalk/db'
import { sql } from 'kysely'
import { all, type Condition } from './conditions.ts'
import { type KeysetOrder, readKeyset } from './keyset.ts'
import type { Page, PageRequest } from './page.ts'

/** Tables of kinds of contracts that are listed as they are. */
type ListedTable =
  | 'jetton_masters'
  | 'nft_collections'
  | 'vesting_contracts'
  | 'multisig_wallets'
  | 'multisig_orders'

export interface ContractList<Name extends ListedTable> {
  readonly table: Name
  /** Conditions and order name columns as those of `m`. */
  readonly conditions: readonly Condition[]
  readonly order: KeysetOrder<Row<Name>>
}

/** A page of whole rows that meet the conditions. */
export const readContractRows = <Name extends ListedTable>(
  db: Db,
  { table, conditions, order }: ContractList<Name>,
  page: PageRequest,
): Promise<Page<Row<Name>>> =>
  readKeyset(page, order, async ({ after, orderBy, limit, offset }) => {
    const rows = await db
      .selectFrom(sql`${sql.table(table)}`.as('m'))
      .selectAll()
      .where(all([...conditions, after]))
      .orderBy(orderBy)
      .limit(limit)
      .offset(offset)
      .execute()
    // `selectAll` of a table that is known by its name alone has no type of its own.
    return rows as unknown as Row<Name>[]
  })
