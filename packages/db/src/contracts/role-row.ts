import type { Detected, DetectedKind, NftItem } from '@shardwalk/contracts'
import type { AccountId, RawAddress } from '@shardwalk/model'
import type { RoleKey, RoleRows, RoleTable } from '@shardwalk/tables'

/** A row and the table that it belongs to. */
export type RoleRow = { [T in RoleTable]: { readonly table: T; readonly row: RoleRows[T] } }[RoleTable]

/** What all rows of one state of a contract share. */
export interface RoleContext {
  readonly key: RoleKey
  readonly idOf: (address: RawAddress) => AccountId
  /** For an address that the contract may lack. */
  readonly maybeId: (address: RawAddress | undefined) => AccountId | null
  /** The item that a domain is too. */
  readonly item: NftItem | undefined
  /** Name of the domain that an item is too. */
  readonly domain: string | undefined
}

/** Makes the row of each kind of contract. */
export type RoleWriters<K extends DetectedKind = DetectedKind> = {
  readonly [Kind in K]: (found: Extract<Detected, { kind: Kind }>, context: RoleContext) => RoleRow
}

/** A row with its table, the types of both checked against each other. */
export const roleRow = <T extends RoleTable>(table: T, row: RoleRows[T]): RoleRow =>
  ({ table, row }) as RoleRow
