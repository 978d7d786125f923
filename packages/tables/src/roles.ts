import type { RowOf } from './define-table.ts'
import { jettonMasters, jettonWallets } from './jettons.ts'
import { dnsEntries, nftAuctions, nftCollections, nftItems, nftSales, telemintItems } from './nfts.ts'
import {
  dexPools,
  multisigOrders,
  multisigWallets,
  nominatorPools,
  vestingContracts,
} from './other-contracts.ts'
import type { ROLE_KEY, ROW_NUMBER } from './role-columns.ts'

/** Tables in which an account has a row when its contract is of that kind. */
export const ROLES = [
  jettonMasters,
  jettonWallets,
  nftCollections,
  nftItems,
  nftSales,
  nftAuctions,
  telemintItems,
  dnsEntries,
  multisigWallets,
  multisigOrders,
  vestingContracts,
  nominatorPools,
  dexPools,
] as const

type Role = (typeof ROLES)[number]
export type RoleTable = Role['name']

/** The bit of a role in `contracts.roles` is its index in this list, which therefore must not change. */
export const ROLE_TABLES: readonly RoleTable[] = ROLES.map(({ name }) => name)

/** Rows of roles by table. JSON columns hold parsed values. */
export type RoleRows = {
  [T in Role as T['name']]: Readonly<Omit<RowOf<T>, keyof typeof ROW_NUMBER>>
}

/** Account and state of a row. */
export type RoleKey = Pick<RoleRows['jetton_masters'], keyof typeof ROLE_KEY>
