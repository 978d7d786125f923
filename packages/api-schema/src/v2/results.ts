import * as z from 'zod'

// Results of API v2: names of schemas and of members as TON Center describes them. Keys are in output order.

const text = z.string()
const hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/)
const hashOrEmpty = z.string().regex(/^([A-Za-z0-9+/]{43}=)?$/)
const bytes = z.string()
const digits = z.string().regex(/^-?\d+$/)
const int = z.int()
/** Printed as a JSON number of any size. */
const wide = z.number()

/** An object of tonlib. */
const object = <Shape extends z.ZodRawShape>(id: string, type: string, shape: Shape) =>
  z.strictObject({ '@type': z.literal(type), ...shape }).meta({ id })

const BlockId = object('TonBlockIdExt', 'ton.blockIdExt', {
  workchain: int,
  shard: digits,
  seqno: int,
  root_hash: hash,
  file_hash: hash,
})
const TransactionId = object('InternalTransactionId', 'internal.transactionId', { lt: digits, hash })
const AccountAddress = object('AccountAddress', 'accountAddress', { account_address: text })
const ExtraCurrency = object('ExtraCurrencyBalance', 'extraCurrency', { id: int, amount: digits })
const Cell = object('TvmCell', 'tvm.cell', { bytes })
const accountStatus = z.enum(['uninitialized', 'active', 'frozen'])
const balances = { balance: digits, extra_currencies: z.array(ExtraCurrency) }

const AddressInformation = object('AddressInformation', 'raw.fullAccountState', {
  ...balances,
  code: bytes,
  data: bytes,
  last_transaction_id: TransactionId,
  block_id: BlockId,
  frozen_hash: hashOrEmpty,
  sync_utime: int,
  state: accountStatus,
  suspended: z.boolean().optional(),
})

const wallet = (id: string, type: string, shape: z.ZodRawShape = { seqno: int }) =>
  object(id, type, { wallet_id: int, ...shape })
const channelSums = { A: wide, B: wide }
const signed = { signed_A: z.boolean(), signed_B: z.boolean() }
const channelState = { ...signed, min_A: wide, min_B: wide, expire_at: int }
const AccountState = z
  .union([
    object('AccountStateRaw', 'raw.accountState', { code: bytes, data: bytes, frozen_hash: hashOrEmpty }),
    wallet('AccountStateWalletV3', 'wallet.v3.accountState'),
    wallet('AccountStateWalletV4', 'wallet.v4.accountState'),
    wallet('AccountStateWalletHighloadV1', 'wallet.highload.v1.accountState'),
    wallet('AccountStateWalletHighloadV2', 'wallet.highload.v2.accountState', {}),
    wallet('AccountStateDns', 'dns.accountState', {}),
    wallet('AccountStateRWallet', 'rwallet.accountState', {
      seqno: int,
      unlocked_balance: wide,
      config: object('RWalletConfig', 'rwallet.config', {
        start_at: int,
        limits: z.array(object('RWalletLimit', 'rwallet.limit', { seconds: int, value: wide })),
      }),
    }),
    object('AccountStatePChan', 'pchan.accountState', {
      config: object('PChanConfig', 'pchan.config', {
        alice_public_key: text,
        bob_public_key: text,
        alice_address: AccountAddress,
        bob_address: AccountAddress,
        init_timeout: int,
        close_timeout: int,
        channel_id: wide,
      }),
      state: z
        .union([
          object('PChanStateInit', 'pchan.stateInit', { ...channelState, ...channelSums }),
          object('PChanStateClose', 'pchan.stateClose', { ...channelState, ...channelSums }),
          object('PChanStatePayout', 'pchan.statePayout', channelSums),
        ])
        .meta({ id: 'PChanState' }),
      description: text,
    }),
    object('AccountStateUninited', 'uninited.accountState', { frozen_hash: hashOrEmpty }),
  ])
  .meta({ id: 'AccountState' })

const ExtendedAddressInformation = object('ExtendedAddressInformation', 'fullAccountState', {
  address: AccountAddress,
  ...balances,
  last_transaction_id: TransactionId,
  block_id: BlockId,
  sync_utime: int,
  account_state: AccountState,
  revision: int,
})

const WalletInformation = object('WalletInformation', 'ext.accounts.walletInformation', {
  wallet: z.boolean(),
  balance: digits,
  account_state: accountStatus,
  last_transaction_id: TransactionId,
  wallet_type: text.optional(),
  seqno: int.optional(),
  wallet_id: int.optional(),
  is_signature_allowed: z.boolean().optional(),
})

const content = z
  .strictObject({ type: z.enum(['onchain', 'offchain']), data: z.union([text, z.record(text, text)]) })
  .meta({ id: 'TokenContent' })
const StandardAddress = object('SmcAddr', 'addr_std', { workchain_id: int, address: text })
const DnsRecord = z
  .union([
    object('DnsRecordStorageAddress', 'dns_storage_address', { bag_id: text }),
    object('DnsRecordSmcAddress', 'dns_smc_address', { smc_addr: StandardAddress }),
    object('DnsRecordAdnlAddress', 'dns_adnl_address', { adnl_addr: text }),
    object('DnsRecordNextResolver', 'dns_next_resolver', { resolver: StandardAddress }),
  ])
  .meta({ id: 'DnsRecord' })
const domain = z.strictObject({ domain: text, data: z.record(text, DnsRecord) }).meta({ id: 'DnsContent' })
const token = <Kind extends string>(kind: Kind) => ({ contract_type: z.literal(kind), address: text })

const TokenData = z
  .union([
    object('JettonMasterData', 'ext.tokens.jettonMasterData', {
      ...token('jetton_master'),
      total_supply: digits,
      mintable: z.boolean(),
      admin_address: text.optional(),
      jetton_content: content,
      jetton_wallet_code: bytes,
    }),
    object('JettonWalletData', 'ext.tokens.jettonWalletData', {
      ...token('jetton_wallet'),
      balance: digits,
      owner: text,
      jetton: text,
      jetton_wallet_code: bytes,
      mintless_is_claimed: z.boolean().optional(),
    }),
    object('NftCollectionData', 'ext.tokens.nftCollectionData', {
      ...token('nft_collection'),
      next_item_index: digits,
      owner_address: text.optional(),
      collection_content: content,
    }),
    object('NftItemData', 'ext.tokens.nftItemData', {
      ...token('nft_item'),
      init: z.boolean(),
      index: digits,
      collection_address: text.optional(),
      owner_address: text.optional(),
      content: z.union([content, domain]),
    }),
  ])
  .meta({ id: 'TokenData' })

const MasterchainInfo = object('MasterchainInfo', 'blocks.masterchainInfo', {
  last: BlockId,
  state_root_hash: hash,
  init: BlockId,
})
const signatures = {
  id: BlockId,
  signatures: z.array(
    object('BlockSignature', 'blocks.signature', { node_id_short: hash, signature: bytes }),
  ),
}
const BlockSignatures = z
  .union([
    object('BlockSignatures', 'blocks.blockSignatures', signatures),
    object('SimplexBlockSignatures', 'blocks.blockSignatures.simplex', {
      ...signatures,
      session_id: hash,
      slot: int,
      candidate: bytes,
    }),
  ])
  .meta({ id: 'MasterchainBlockSignatures' })
const ShardBlockProof = object('ShardBlockProof', 'blocks.shardBlockProof', {
  from: BlockId,
  mc_id: BlockId,
  links: z.array(object('ShardBlockLink', 'blocks.shardBlockLink', { id: BlockId, proof: bytes })),
  mc_proof: z.array(
    object('BlockLinkBack', 'blocks.blockLinkBack', {
      to_key_block: z.boolean(),
      from: BlockId,
      to: BlockId,
      dest_proof: bytes,
      proof: bytes,
      state_proof: bytes,
    }),
  ),
})
const ConsensusBlock = object('ConsensusBlock', 'ext.blocks.consensusBlock', {
  consensus_block: int,
  timestamp: int,
})
const Shards = object('Shards', 'blocks.shards', { shards: z.array(BlockId) })
const BlockHeader = object('BlockHeader', 'blocks.header', {
  id: BlockId,
  global_id: int,
  version: int,
  after_merge: z.boolean(),
  after_split: z.boolean(),
  before_split: z.boolean(),
  want_merge: z.boolean(),
  want_split: z.boolean(),
  validator_list_hash_short: int,
  catchain_seqno: int,
  min_ref_mc_seqno: int,
  is_key_block: z.boolean(),
  prev_key_block_seqno: int,
  start_lt: digits,
  end_lt: digits,
  gen_utime: int,
  prev_blocks: z.array(BlockId),
})
const OutMsgQueueSizes = object('OutMsgQueueSizes', 'blocks.outMsgQueueSizes', {
  shards: z.array(object('OutMsgQueueSize', 'blocks.outMsgQueueSize', { id: BlockId, size: int })),
  ext_msg_queue_size_limit: int,
})

const MsgData = z
  .union([
    object('MsgDataRaw', 'msg.dataRaw', { body: bytes, init_state: bytes }),
    object('MsgDataText', 'msg.dataText', { text: bytes }),
    object('MsgDataEncryptedText', 'msg.dataEncryptedText', { text: bytes }),
  ])
  .meta({ id: 'MsgData' })
const messageOf = <Side extends z.ZodType>(side: Side) => ({
  hash,
  source: side,
  destination: side,
  value: digits,
  extra_currencies: z.array(ExtraCurrency),
  fwd_fee: digits,
  ihr_fee: digits,
  created_lt: digits,
  body_hash: hash,
  msg_data: MsgData,
})
const MessageStd = object('MessageStd', 'raw.message', messageOf(AccountAddress))
const MessageExt = object('Message', 'ext.message', { ...messageOf(text), message: text.optional() })
const transactionOf = <Message extends z.ZodType>(message: Message) => ({
  utime: int,
  data: bytes,
  transaction_id: TransactionId,
  fee: digits,
  storage_fee: digits,
  other_fee: digits,
  in_msg: message.optional(),
  out_msgs: z.array(message),
})
const TransactionStd = object('TransactionStd', 'raw.transaction', {
  address: AccountAddress,
  ...transactionOf(MessageStd),
})
const TransactionExt = object('TransactionExt', 'raw.transactionExt', {
  address: AccountAddress,
  account: text,
  ...transactionOf(MessageStd),
})
const Transaction = object('Transaction', 'ext.transaction', {
  address: AccountAddress,
  account: text,
  ...transactionOf(MessageExt),
})
const listing = { id: BlockId, req_count: int, incomplete: z.boolean() }
const BlockTransactions = object('BlockTransactions', 'blocks.transactions', {
  ...listing,
  transactions: z.array(
    object('ShortTxId', 'blocks.shortTxId', { mode: int, account: text, lt: digits, hash }),
  ),
})
const BlockTransactionsExt = object('BlockTransactionsExt', 'blocks.transactionsExt', {
  ...listing,
  transactions: z.array(TransactionExt),
})
const TransactionsStd = object('TransactionsStd', 'raw.transactions', {
  transactions: z.array(TransactionStd),
  previous_transaction_id: TransactionId,
})

const Fees = object('Fees', 'fees', { in_fwd_fee: wide, storage_fee: wide, gas_fee: wide, fwd_fee: wide })
const QueryFees = object('QueryFees', 'query.fees', { source_fees: Fees, destination_fees: z.array(Fees) })
const ExtMessageInfo = object('ExtMessageInfo', 'raw.extMessageInfo', { hash, hash_norm: hash })

const NumberEntry = object('TvmStackEntryNumber', 'tvm.stackEntryNumber', {
  number: object('TvmNumberDecimal', 'tvm.numberDecimal', { number: text }),
})
const CellEntry = object('TvmStackEntryCell', 'tvm.stackEntryCell', { cell: Cell })
const SliceEntry = object('TvmStackEntrySlice', 'tvm.stackEntrySlice', {
  slice: object('TvmSlice', 'tvm.slice', { bytes }),
})
const UnsupportedEntry = object('TvmStackEntryUnsupported', 'tvm.stackEntryUnsupported', {})
type StackEntry =
  | z.output<typeof NumberEntry | typeof CellEntry | typeof SliceEntry | typeof UnsupportedEntry>
  | { '@type': 'tvm.stackEntryTuple'; tuple: { '@type': 'tvm.tuple'; elements: StackEntry[] } }
  | { '@type': 'tvm.stackEntryList'; list: { '@type': 'tvm.list'; elements: StackEntry[] } }
const StackEntry: z.ZodType<StackEntry> = z
  .lazy(() => z.union([NumberEntry, CellEntry, SliceEntry, TupleEntry, ListEntry, UnsupportedEntry]))
  .meta({ id: 'TvmStackEntry' })
const Tuple = object('TvmTuple', 'tvm.tuple', { elements: z.array(StackEntry) })
const List = object('TvmList', 'tvm.list', { elements: z.array(StackEntry) })
const TupleEntry = object('TvmStackEntryTuple', 'tvm.stackEntryTuple', { tuple: Tuple })
const ListEntry = object('TvmStackEntryList', 'tvm.stackEntryList', { list: List })

const LegacyCell = z
  .strictObject({
    data: z.strictObject({ b64: bytes, len: int }).meta({ id: 'LegacyTvmCellData' }),
    // biome-ignore lint/plugin: how zod declares recursion, once per process
    get refs() {
      return z.array(LegacyCell)
    },
    special: z.boolean(),
  })
  .meta({ id: 'LegacyTvmCell' })
/** A pair of type and value. */
const LegacyStackEntry = z
  .array(
    z.union([
      text,
      z.strictObject({ bytes, object: LegacyCell }).meta({ id: 'LegacyStackEntryCell' }),
      Tuple,
      List,
    ]),
  )
  .length(2)
  .meta({ id: 'LegacyStackEntry' })
const run = { gas_used: wide, exit_code: int }
const RunResult = object('RunGetMethodResult', 'smc.runResult', {
  ...run,
  stack: z.array(LegacyStackEntry),
  block_id: BlockId,
  last_transaction_id: TransactionId,
})
const RunResultStd = object('RunGetMethodStdResult', 'smc.runResult', { ...run, stack: z.array(StackEntry) })

const variant = object('DetectAddressBase64Variant', 'ext.utils.detectedAddressVariant', {
  b64: text,
  b64url: text,
})
const DetectedAddress = object('DetectAddress', 'ext.utils.detectedAddress', {
  raw_form: text,
  bounceable: variant,
  non_bounceable: variant,
  given_type: z.enum(['raw_form', 'friendly_bounceable', 'friendly_non_bounceable']),
  test_only: z.boolean(),
})
const DetectedHash = object('DetectHash', 'ext.utils.detectedHash', { b64: text, b64url: text, hex: text })
const ConfigInfo = object('ConfigInfo', 'configInfo', { config: Cell })
const LibraryResult = object('LibraryResult', 'smc.libraryResult', {
  result: z.array(object('LibraryEntry', 'smc.libraryEntry', { hash, data: bytes })),
})
const DnsEntryData = z
  .union([
    object('DnsEntryDataText', 'dns.entryDataText', { text }),
    object('DnsEntryDataNextResolver', 'dns.entryDataNextResolver', { resolver: AccountAddress }),
    object('DnsEntryDataSmcAddress', 'dns.entryDataSmcAddress', { smc_address: AccountAddress }),
    object('DnsEntryDataAdnlAddress', 'dns.entryDataAdnlAddress', {
      adnl_address: object('AdnlAddress', 'adnlAddress', { adnl_address: text }),
    }),
    object('DnsEntryDataStorageAddress', 'dns.entryDataStorageAddress', { bag_id: text }),
    object('DnsEntryDataUnknown', 'dns.entryDataUnknown', { bytes }),
  ])
  .meta({ id: 'DnsEntryData' })
const DnsResolved = object('DnsResolved', 'dns.resolved', {
  entries: z.array(object('DnsEntry', 'dns.entry', { name: text, category: text, entry: DnsEntryData })),
})

/** `result` of a reply, by the name of the method. */
export const V2_RESULTS = {
  getAddressInformation: AddressInformation,
  getExtendedAddressInformation: ExtendedAddressInformation,
  getWalletInformation: WalletInformation,
  getAddressBalance: digits,
  getAddressState: accountStatus,
  getTokenData: TokenData,
  getShardAccountCell: Cell,
  getMasterchainInfo: MasterchainInfo,
  getMasterchainBlockSignatures: BlockSignatures,
  getShardBlockProof: ShardBlockProof,
  getConsensusBlock: ConsensusBlock,
  lookupBlock: BlockId,
  getShards: Shards,
  getBlockHeader: BlockHeader,
  getOutMsgQueueSize: OutMsgQueueSizes,
  getBlockTransactions: BlockTransactions,
  getBlockTransactionsExt: BlockTransactionsExt,
  getTransactions: z.array(Transaction),
  getTransactionsStd: TransactionsStd,
  tryLocateTx: Transaction,
  tryLocateResultTx: Transaction,
  tryLocateSourceTx: Transaction,
  sendBoc: object('ResultOk', 'ok', {}),
  sendBocReturnHash: ExtMessageInfo,
  sendBocReturnHashNoError: ExtMessageInfo,
  estimateFee: QueryFees,
  runGetMethod: RunResult,
  runGetMethodStd: RunResultStd,
  detectAddress: DetectedAddress,
  detectHash: DetectedHash,
  packAddress: text,
  unpackAddress: text,
  getConfigParam: ConfigInfo,
  getConfigAll: ConfigInfo,
  getLibraries: LibraryResult,
  dnsResolve: DnsResolved,
} as const satisfies Readonly<Record<string, z.ZodType>>

/** The type of the result of each method. */
type Results = typeof V2_RESULTS
export type V2Results = { readonly [Method in keyof Results]: z.output<Results[Method]> }
