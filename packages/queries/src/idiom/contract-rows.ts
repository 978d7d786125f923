import type { Db, Row } from '@shardwalk/db'
import { sql } from 'kysely'
import { all, type Condition } from './conditions.ts'
import { type KeysetOrder, readKeyset } from './keyset.ts'
import { expectLight } from './light-pages.ts'
import type { Page, PageRequest } from './page.ts'

/** Tables of kinds of contracts that are listed as they are. */
type ListedTable =
  | 'jetton_masters'
  | 'nft_collections'
  | 'vesting_contracts'
  | 'multisig_wallets'
  | 'multisig_orders'
  | 'dns_entries'

/** A list of whole rows of a kind of contract. */
export interface ContractList<Name extends ListedTable> {
  readonly table: Name
  /** Conditions and order name columns as those of `m`. */
  readonly conditions: readonly Condition[]
  readonly order: KeysetOrder<Row<Name>>
}

/** Whose content may be large. */
const TOKENS: ReadonlySet<ListedTable> = new Set(['jetton_masters', 'nft_collections'])

/** A page of whole rows that match the conditions. Throws `PageTooLarge`. */
export const readContractRows = <Name extends ListedTable>(
  db: Db,
  { table, conditions, order }: ContractList<Name>,
  page: PageRequest,
): Promise<Page<Row<Name>>> =>
  readKeyset(page, order, async ({ after, orderBy, limit, offset }) => {
    const found = db
      .selectFrom(sql`${sql.table(table)}`.as('m'))
      .where(all([...conditions, after]))
      .orderBy(orderBy)
      .limit(limit)
      .offset(offset)
    if (TOKENS.has(table))
      await expectLight(db, limit, sql`${found.select(sql.ref('m.content').as('content'))}`)
    // `selectAll` of a table that is known by its name alone has no type of its own.
    return (await found.selectAll().execute()) as unknown as Row<Name>[]
  })
