import type {
  AccountInformationQuery,
  AccountStatesQuery,
  ActionsQuery,
  AddressBookQuery,
  AdjacentTransactionsQuery,
  BalanceChangesQuery,
  BalanceChangesReply,
  BalanceHistoryQuery,
  BalanceHistoryReply,
  BalancesQuery,
  BalancesReply,
  BlockShardsQuery,
  BlocksQuery,
  contractReplies,
  DecodeQuery,
  DnsAuctionsQuery,
  DnsRecordsQuery,
  JettonBurnsQuery,
  JettonHoldersQuery,
  JettonHoldersReply,
  JettonMastersQuery,
  JettonTransfersQuery,
  JettonWalletsQuery,
  legacyReplies,
  MessagesQuery,
  MetadataQuery,
  MultisigOrdersQuery,
  MultisigWalletsQuery,
  NftCollectionsQuery,
  NftItemsQuery,
  NftSalesQuery,
  NftTransfersQuery,
  PendingActionsQuery,
  PendingTracesQuery,
  PendingTransactionsQuery,
  ShardStateQuery,
  TopAccountsQuery,
  TracesQuery,
  TransactionsByMasterchainBlockQuery,
  TransactionsByMessageQuery,
  TransactionsQuery,
  traceReplies,
  VestingQuery,
  v3Replies,
  WalletStatesQuery,
} from '@shardwalk/api-schema'
import type * as z from 'zod'
import { exportedRows } from './exported-rows.ts'
import { type Given, toSearch } from './query.ts'
import { type ClientOptions, Transport } from './transport.ts'

type Chain = ReturnType<typeof v3Replies>
type Traces = ReturnType<typeof traceReplies>
type Contracts = typeof contractReplies
type Legacy = typeof legacyReplies

interface Endpoint<Query, Reply extends z.ZodType> {
  readonly query: Given<Query>
  readonly reply: z.output<Reply>
}

/** Endpoints of API v3 that are read with GET. */
export interface Endpoints {
  masterchainInfo: Endpoint<object, Chain['MasterchainInfo']>
  blocks: Endpoint<BlocksQuery, Chain['Blocks']>
  masterchainBlockShardState: Endpoint<ShardStateQuery, Chain['ShardState']>
  masterchainBlockShards: Endpoint<BlockShardsQuery, Chain['Blocks']>
  transactions: Endpoint<TransactionsQuery, Chain['Transactions']>
  transactionsByMasterchainBlock: Endpoint<TransactionsByMasterchainBlockQuery, Chain['Transactions']>
  transactionsByMessage: Endpoint<TransactionsByMessageQuery, Chain['Transactions']>
  adjacentTransactions: Endpoint<AdjacentTransactionsQuery, Chain['Transactions']>
  messages: Endpoint<MessagesQuery, Chain['Messages']>
  traces: Endpoint<TracesQuery, Traces['Traces']>
  events: Endpoint<TracesQuery, Traces['Events']>
  actions: Endpoint<ActionsQuery, Traces['Actions']>
  pendingTransactions: Endpoint<PendingTransactionsQuery, Chain['Transactions']>
  pendingTraces: Endpoint<PendingTracesQuery, Traces['Traces']>
  pendingActions: Endpoint<PendingActionsQuery, Traces['Actions']>
  balanceChanges: Endpoint<BalanceChangesQuery, typeof BalanceChangesReply>
  balanceHistory: Endpoint<BalanceHistoryQuery, typeof BalanceHistoryReply>
  balances: Endpoint<BalancesQuery, typeof BalancesReply>
  jettonHolders: Endpoint<JettonHoldersQuery, typeof JettonHoldersReply>
  accountStates: Endpoint<AccountStatesQuery, Contracts['AccountStates']>
  walletStates: Endpoint<WalletStatesQuery, Contracts['WalletStates']>
  addressBook: Endpoint<AddressBookQuery, Contracts['AddressBook']>
  metadata: Endpoint<MetadataQuery, Contracts['Metadata']>
  topAccountsByBalance: Endpoint<TopAccountsQuery, Contracts['TopAccounts']>
  decode: Endpoint<DecodeQuery, Contracts['Decode']>
  'jetton/masters': Endpoint<JettonMastersQuery, Contracts['JettonMasters']>
  'jetton/wallets': Endpoint<JettonWalletsQuery, Contracts['JettonWallets']>
  'jetton/transfers': Endpoint<JettonTransfersQuery, Contracts['JettonTransfers']>
  'jetton/burns': Endpoint<JettonBurnsQuery, Contracts['JettonBurns']>
  'nft/collections': Endpoint<NftCollectionsQuery, Contracts['NftCollections']>
  'nft/items': Endpoint<NftItemsQuery, Contracts['NftItems']>
  'nft/transfers': Endpoint<NftTransfersQuery, Contracts['NftTransfers']>
  'nft/sales': Endpoint<NftSalesQuery, Contracts['NftSales']>
  'dns/records': Endpoint<DnsRecordsQuery, Contracts['DnsRecords']>
  'dns/activeAuctions': Endpoint<DnsAuctionsQuery, Contracts['DnsAuctions']>
  'multisig/wallets': Endpoint<MultisigWalletsQuery, Contracts['Multisigs']>
  'multisig/orders': Endpoint<MultisigOrdersQuery, Contracts['MultisigOrders']>
  vesting: Endpoint<VestingQuery, Contracts['Vesting']>
  addressInformation: Endpoint<AccountInformationQuery, Legacy['AddressInformation']>
  walletInformation: Endpoint<AccountInformationQuery, Legacy['WalletInformation']>
}

/** Path of an endpoint below `/api/v3/`. */
export type EndpointName = keyof Endpoints
type QueryOf<Name extends EndpointName> = Endpoints[Name]['query']
/** The reply of an endpoint, as parsed JSON. */
export type ReplyOf<Name extends EndpointName> = Endpoints[Name]['reply']

type ListsOf<Reply> = Extract<Reply[keyof Reply], readonly unknown[]>
/** A row of a reply: an item of its only array. */
export type RowOf<Name extends EndpointName> =
  ReplyOf<Name> extends readonly (infer Row)[] ? Row : ListsOf<ReplyOf<Name>>[number]

/** Endpoints whose replies are pages of rows. */
export type ListName = { [N in EndpointName]: 'cursor' extends keyof QueryOf<N> ? N : never }[EndpointName]

/** Lists that can be exported. */
export type ExportName = Exclude<ListName, 'events'>
/** The query of a list that is exported. */
export type ExportQuery<Name extends ExportName> = QueryOf<Name> & {
  /** Rows in all; default: every row. */
  readonly limit?: number
}

/** A page of a list, with the whole reply around it. */
export interface Page<Name extends ListName> {
  readonly reply: ReplyOf<Name>
  readonly rows: readonly RowOf<Name>[]
  /** Where the list continues; undefined: this is the last page. */
  readonly next: string | undefined
}

interface CallOptions {
  readonly signal?: AbortSignal
}

const LARGEST_PAGE = 1000

/** API v3. */
export class V3Client {
  private readonly transport: Transport

  constructor(options: ClientOptions) {
    this.transport = new Transport(options)
  }

  async get<Name extends EndpointName>(
    name: Name,
    query: QueryOf<Name>,
    { signal }: CallOptions = {},
  ): Promise<ReplyOf<Name>> {
    const { body } = await this.read(name, query, signal)
    return body as ReplyOf<Name>
  }

  /** One page of a list. */
  async page<Name extends ListName>(
    name: Name,
    query: QueryOf<Name>,
    { signal }: CallOptions = {},
  ): Promise<Page<Name>> {
    const { body, headers } = await this.read(name, query, signal)
    return {
      reply: body as ReplyOf<Name>,
      rows: rowsOf(body),
      next: headers.get('X-Next-Cursor') ?? undefined,
    }
  }

  /** Pages of a list along its cursor, which stays valid while blocks arrive. */
  async *pages<Name extends ListName>(
    name: Name,
    query: QueryOf<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<Page<Name>> {
    let page: Page<Name> | undefined
    do {
      // An offset counts from the cursor.
      const continued = page && { cursor: page.next, offset: undefined }
      page = await this.page(name, { limit: LARGEST_PAGE, ...query, ...continued }, options)
      yield page
    } while (page.next !== undefined)
  }

  /** Every row of a list. */
  async *rows<Name extends ListName>(
    name: Name,
    query: QueryOf<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<RowOf<Name>> {
    for await (const { rows } of this.pages(name, query, options)) yield* rows
  }

  /**
   * A whole list as the server writes it, up to the number of rows that the operator allows at a time. Throws
   * when the connection breaks before the end.
   */
  exportBytes<Name extends ExportName>(
    name: Name,
    query: ExportQuery<Name> & { readonly format: 'ndjson' | 'csv' },
    options: CallOptions = {},
  ): AsyncGenerator<Uint8Array> {
    return this.readExport(name, query, options)
  }

  /** Every row of a list, as `rows` but from one reply for as many rows as the operator allows at a time. */
  exportRows<Name extends ExportName>(
    name: Name,
    query: ExportQuery<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<RowOf<Name>> {
    const open = (rest: object) =>
      this.readExport(name, { ...query, ...rest, format: 'ndjson', summary: true }, options)
    return exportedRows(open, query.limit) as AsyncGenerator<RowOf<Name>>
  }

  /** Sends an external message, a bag of cells in base64. Is not repeated when the connection breaks. */
  async sendMessage(boc: string): Promise<z.output<Legacy['SentMessage']>> {
    const { body } = await this.transport.send({ path: '/api/v3/message', body: { boc }, repeatable: false })
    return body as z.output<Legacy['SentMessage']>
  }

  private readExport(name: ExportName, query: object, { signal }: CallOptions): AsyncGenerator<Uint8Array> {
    const search = toSearch(query as Readonly<Record<string, unknown>>)
    return this.transport.stream({ path: `/api/v3/export/${name}`, query: search, repeatable: true, signal })
  }

  private read(name: EndpointName, query: object, signal: AbortSignal | undefined) {
    const search = toSearch(query as Readonly<Record<string, unknown>>)
    return this.transport.send({ path: `/api/v3/${name}`, query: search, repeatable: true, signal })
  }
}

function rowsOf<Row>(reply: unknown): readonly Row[] {
  const rows = Array.isArray(reply) ? reply : Object.values(reply as object).find(Array.isArray)
  return (rows ?? []) as readonly Row[]
}
