import type { PagerView } from './parts.tsx'
import type {
  Account,
  Action,
  JettonWallet,
  Listed,
  Names,
  NftItem,
  Replies,
  Transaction,
  Wallet,
} from './replies.ts'

/**
 * Tabs of an account and their titles, in order; `holders` and `items` are those of a jetton or collection.
 */
export const ACCOUNT_TABS = {
  actions: 'Actions',
  transactions: 'Transactions',
  jettons: 'Jettons',
  nfts: 'NFTs',
  holders: 'Holders',
  items: 'Items',
} as const
export type AccountTab = keyof typeof ACCOUNT_TABS

/** The rows of the chosen tab. */
export type TabRows =
  | { readonly tab: 'actions'; readonly list: Listed<Action> }
  | { readonly tab: 'transactions'; readonly list: Listed<Transaction> }
  | { readonly tab: 'jettons' | 'holders'; readonly list: Listed<JettonWallet> }
  | { readonly tab: 'nfts' | 'items'; readonly list: Listed<NftItem> }

/** What is known of an account. Contracts that it is not are undefined. */
export interface AccountView {
  /** Raw. */
  readonly address: string
  /** Undefined: never seen. */
  readonly account?: Account | undefined
  readonly wallet?: Wallet | undefined
  readonly jetton?: Replies['jetton/masters']['jetton_masters'][number] | undefined
  readonly jettonWallet?: JettonWallet | undefined
  readonly item?: NftItem | undefined
  readonly collection?: Replies['nft/collections']['nft_collections'][number] | undefined
  readonly multisig?: Replies['multisig/wallets']['multisigs'][number] | undefined
  readonly vesting?: Replies['vesting']['vesting_contracts'][number] | undefined
  readonly domains: Replies['dns/records']['records']
  readonly tabs: readonly AccountTab[]
  readonly rows: TabRows
  readonly pager: PagerView
  readonly names: Names
  /** The first indexed block, if history before it is missing. */
  readonly begins?: number | undefined
  /** Note on the form in which the address was given. */
  readonly notice?: string | undefined
}
