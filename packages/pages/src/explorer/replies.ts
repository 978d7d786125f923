import type { BalanceChangesReply, contractReplies, traceReplies, v3Replies } from '@shardwalk/api-schema'
import type * as z from 'zod'

type Chain = ReturnType<typeof v3Replies>
type Traces = ReturnType<typeof traceReplies>
type Contracts = typeof contractReplies

/** Replies of API v3 that pages show, by the last part of the path. */
export interface Replies {
  readonly blocks: z.output<Chain['Blocks']>
  readonly masterchainBlockShards: z.output<Chain['Blocks']>
  readonly transactions: z.output<Chain['Transactions']>
  readonly adjacentTransactions: z.output<Chain['Transactions']>
  readonly messages: z.output<Chain['Messages']>
  readonly traces: z.output<Traces['Traces']>
  readonly balanceChanges: z.output<typeof BalanceChangesReply>
  readonly actions: z.output<Traces['Actions']>
  readonly accountStates: z.output<Contracts['AccountStates']>
  readonly walletStates: z.output<Contracts['WalletStates']>
  readonly 'jetton/masters': z.output<Contracts['JettonMasters']>
  readonly 'jetton/wallets': z.output<Contracts['JettonWallets']>
  readonly 'nft/collections': z.output<Contracts['NftCollections']>
  readonly 'nft/items': z.output<Contracts['NftItems']>
  readonly 'dns/records': z.output<Contracts['DnsRecords']>
  readonly 'multisig/wallets': z.output<Contracts['Multisigs']>
  readonly vesting: z.output<Contracts['Vesting']>
}

/** Rows of the replies of API v3 that pages show. */
export type Block = Replies['blocks']['blocks'][number]
export type Transaction = Replies['transactions']['transactions'][number]
export type Message = NonNullable<Transaction['in_msg']>
export type Trace = Replies['traces']['traces'][number]
export type Action = Replies['actions']['actions'][number]
export type Account = Replies['accountStates']['accounts'][number]
export type Wallet = Replies['walletStates']['wallets'][number]
export type JettonWallet = Replies['jetton/wallets']['jetton_wallets'][number]
export type NftItem = Replies['nft/items']['nft_items'][number]

/** What replies say of the accounts in them. */
export interface Names {
  readonly address_book: Replies['actions']['address_book']
  readonly metadata: Replies['actions']['metadata']
  readonly testOnly: boolean
}

/** The names of several replies together. */
export function joinNames(
  testOnly: boolean,
  replies: readonly (Partial<Pick<Names, 'address_book' | 'metadata'>> | undefined)[],
): Names {
  const book = Object.assign({}, ...replies.map((reply) => reply?.address_book))
  const metadata = Object.assign({}, ...replies.map((reply) => reply?.metadata))
  return { address_book: book, metadata, testOnly }
}

/** Rows of a list, and where it continues. */
export interface Listed<Row> {
  readonly rows: readonly Row[]
  readonly next?: string | undefined
}
