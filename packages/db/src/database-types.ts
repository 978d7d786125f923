import type { Row, TableName, Tables } from '@shardwalk/tables'
import type { ColumnType, Insertable } from 'kysely'

type Values = { readonly select: unknown; readonly insert: unknown; readonly update: unknown }
type KyselyColumn<V extends Values> = ColumnType<V['select'], V['insert'], V['update']>

/**
 * All tables as a kysely type. It is a type alias because `withTables` of kysely does not accept an
 * interface.
 */
export type Database = {
  [Name in TableName]: {
    [Column in keyof Tables[Name]['columns']]: Tables[Name]['columns'][Column] extends {
      readonly values: infer V extends Values
    }
      ? KyselyColumn<V>
      : never
  }
}

/** A row to be inserted, without the columns that the database supplies. */
export type NewRow<Name extends TableName> = Insertable<Database[Name]>

export type BlockRow = Row<'blocks'>
export type JettonMasterRow = Row<'jetton_masters'>
export type NftCollectionRow = Row<'nft_collections'>
export type NftItemRow = Row<'nft_items'>
export type NftSaleRow = Row<'nft_sales'>
export type NftAuctionRow = Row<'nft_auctions'>
export type TelemintItemRow = Row<'telemint_items'>
export type DnsEntryRow = Row<'dns_entries'>
export type MultisigWalletRow = Row<'multisig_wallets'>
export type MultisigOrderRow = Row<'multisig_orders'>
export type VestingContractRow = Row<'vesting_contracts'>
