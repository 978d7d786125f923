import type { AccountId } from '@shardwalk/model'
import type { AddressOf } from './contract-text.ts'
import type { Json } from './text.ts'

/** A jetton wallet as shown in `metadata`. */
export interface WalletInfoRow {
  readonly account_id: AccountId
  readonly owner_id: AccountId
  readonly jetton_id: AccountId
  readonly balance: string
}

/** The tokens that an account is. */
export interface TokenInfo {
  readonly id: AccountId
  /** False if no name of the token is known yet. */
  readonly isIndexed: boolean
  readonly info: object
}

/** `metadata` of API v3: entries by raw address, with sorted keys. Wallets precede tokens. */
export function toMetadata(
  { wallets, tokens }: { readonly wallets: readonly WalletInfoRow[]; readonly tokens: readonly TokenInfo[] },
  addressOf: AddressOf,
): Json {
  const infos = [...wallets.map((row) => walletInfo(row, addressOf)), ...tokens]
  const byAddress = new Map<string, TokenInfo[]>()
  for (const info of infos) {
    const address = addressOf(info.id)
    byAddress.set(address, [...(byAddress.get(address) ?? []), info])
  }
  const sorted = [...byAddress].sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted.map(([address, list]) => [address, toEntry(list)])))
}

const toEntry = (infos: readonly TokenInfo[]): object => ({
  is_indexed: infos.every(({ isIndexed }) => isIndexed),
  token_info: infos.map(({ info }) => info),
})

const walletInfo = (row: WalletInfoRow, addressOf: AddressOf): TokenInfo => ({
  id: row.account_id,
  isIndexed: true,
  info: {
    valid: true,
    type: 'jetton_wallets',
    extra: { owner: addressOf(row.owner_id), jetton: addressOf(row.jetton_id), balance: row.balance },
  },
})
