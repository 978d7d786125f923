import * as kind from './kinds.ts'
import {
  listOf,
  nonNegative,
  optional,
  positive,
  required,
  upTo,
  type V2Parameters,
  type V2Values,
  withDefault,
} from './parameters.ts'

/** A method of API v2 as documented for clients. */
export interface V2Method<P extends V2Parameters = V2Parameters> {
  readonly tag: 'Accounts' | 'Blocks' | 'Transactions' | 'Send' | 'Run method' | 'Utils' | 'Configuration'
  readonly summary: string
  readonly parameters: P
  /** Accepts POST with a JSON body only. */
  readonly postOnly?: boolean
  /** Checks across several parameters; returns the documented error text if violated. */
  readonly check?: (values: never, given: ReadonlySet<string>) => string | undefined
  /** `@type` of the result, or its JSON type. */
  readonly result: string
  readonly beyondSeed?: boolean
}

const method = <P extends V2Parameters>(
  declaration: Omit<V2Method<P>, 'check'> & { readonly check?: (values: V2Values<P>) => string | undefined },
): V2Method<P> => declaration as V2Method<P>

const seqno = optional(kind.int32, 'Masterchain block at which to read. Default: the newest.', {
  check: positive('seqno'),
})
const account = { address: required(kind.addressKind(), 'The account.'), seqno }
const accountMethod = (summary: string, result: string) =>
  method({ tag: 'Accounts', summary, parameters: account, result })

const mcBlockSeqno = required(kind.int32, 'Masterchain seqno.', {
  missing: 'seqno should be positive',
  check: positive('seqno'),
})

const shardParameters = (required_: boolean) => ({
  workchain: required(kind.int32, 'Workchain.', required_ ? { missing: 'workchain required' } : {}),
  shard: required(
    kind.int64,
    'Shard as a signed decimal. -9223372036854775808 is the whole workchain.',
    required_ ? { missing: 'shard required' } : {},
  ),
})

const blockParameters = {
  ...shardParameters(false),
  seqno: required(kind.int32, 'Seqno of the block.', { check: positive('seqno') }),
  root_hash: optional(
    kind.hash,
    'Root hash. With file_hash, it replaces the lookup by seqno; alone it is ignored.',
    {
      emptyIsAbsent: true,
    },
  ),
  file_hash: optional(kind.hash, 'File hash. Ignored without root_hash.', { emptyIsAbsent: true }),
}

const listing = {
  ...blockParameters,
  after_lt: optional(kind.int64, 'Continue after the transaction with this lt. Requires after_hash.', {
    check: nonNegative('after_lt'),
  }),
  after_hash: optional(kind.accountHash, 'Account of the transaction given by after_lt.', {
    emptyIsAbsent: true,
  }),
  count: withDefault(kind.int64, 40n, 'Maximum number of transactions.', { check: upTo('count', 10000) }),
}
const listingMethod = (summary: string, result: string) =>
  method({
    tag: 'Transactions',
    summary,
    parameters: listing,
    result,
    check: (values) =>
      (values.after_lt === undefined) === (values.after_hash === undefined)
        ? undefined
        : 'after_lt and after_hash should be used together',
  })

const history = {
  address: required(kind.addressKind(), 'The account.', { isLabelled: true }),
  limit: withDefault(kind.int64, 10n, 'Maximum number of transactions.', { check: upTo('limit', 1000) }),
  lt: optional(kind.int64, 'Start at the transaction with this lt, inclusive. Requires hash.', {
    check: nonNegative('lt'),
  }),
  hash: optional(kind.hash, 'Hash of the transaction given by lt.', { emptyIsAbsent: true }),
  to_lt: withDefault(kind.int64, 0n, 'Return only transactions with a greater lt.'),
  archival: withDefault(kind.flag, false, 'Use archive servers only.', { emptyIsAbsent: 'query' }),
}
const TOGETHER = 'lt and hash should be used together'

const locate = {
  source: required(kind.addressKind('empty source address'), 'Sender of the message.'),
  destination: required(kind.addressKind('empty destination address'), 'Receiver of the message.'),
  created_lt: required(kind.int64, 'created_lt of the message.', { check: nonNegative('created_lt') }),
}
const locateMethod = (summary: string) =>
  method({ tag: 'Transactions', summary, parameters: locate, result: 'ext.transaction' })

const boc = {
  boc: required(kind.bytes, 'External message as a bag of cells.', {
    check: (value) => (value.length === 0 ? 'empty boc' : undefined),
  }),
}
const sendMethod = (summary: string, result: string, beyondSeed = false) =>
  method({ tag: 'Send', summary, parameters: boc, result, postOnly: true, beyondSeed })

const run = {
  address: required(kind.addressKind(), 'The contract.'),
  method: required(kind.methodName, 'Name or id of the get-method.'),
  stack: required(kind.json, 'Arguments, starting at the bottom of the stack.'),
  seqno: optional(kind.strictInt32, 'Masterchain block at which to run. Default: the newest.', {
    check: positive('seqno'),
  }),
}
const runMethod = (summary: string) =>
  method({ tag: 'Run method', summary, parameters: run, result: 'smc.runResult', postOnly: true })

const oneAddress = (summary: string, result: string) =>
  method({
    tag: 'Utils',
    summary,
    parameters: { address: required(kind.addressKind(), 'Address in any form.') },
    result,
  })

/** The methods of API v2 by the name used in paths and in JSON-RPC. */
export const V2_METHODS = {
  getAddressInformation: accountMethod('Get the state of an account', 'raw.fullAccountState'),
  getExtendedAddressInformation: accountMethod(
    'Get the state of an account, with recognised wallets',
    'fullAccountState',
  ),
  getWalletInformation: accountMethod(
    'Get the type, seqno and state of a wallet',
    'ext.accounts.walletInformation',
  ),
  getAddressBalance: accountMethod('Get the balance of an account in nanotons', 'string'),
  getAddressState: accountMethod('Get the status of an account: active, uninitialized or frozen', 'string'),
  getTokenData: accountMethod('Get the jetton or NFT data of a contract', 'ext.tokens'),
  getShardAccountCell: {
    ...accountMethod('Get the ShardAccount cell of an account', 'tvm.cell'),
    beyondSeed: true,
  },

  getMasterchainInfo: method({
    tag: 'Blocks',
    summary: 'Get the newest masterchain block',
    parameters: {},
    result: 'blocks.masterchainInfo',
  }),
  getMasterchainBlockSignatures: method({
    tag: 'Blocks',
    summary: 'Get the signatures of a masterchain block',
    parameters: { seqno: mcBlockSeqno },
    result: 'blocks.blockSignatures',
  }),
  getShardBlockProof: method({
    tag: 'Blocks',
    summary: 'Get a proof that a block belongs to the chain',
    parameters: {
      ...shardParameters(true),
      seqno: required(kind.int32, 'Seqno of the block.', {
        missing: 'seqno required',
        check: positive('seqno'),
      }),
      from_seqno: optional(kind.int32, 'Masterchain block at which the proof starts.', {
        check: nonNegative('from_seqno'),
      }),
    },
    result: 'blocks.shardBlockProof',
  }),
  getConsensusBlock: method({
    tag: 'Blocks',
    summary: 'Get the newest masterchain seqno and the time',
    parameters: {},
    result: 'ext.blocks.consensusBlock',
  }),
  lookupBlock: method({
    tag: 'Blocks',
    summary: 'Find a block by seqno, lt or time',
    parameters: {
      ...shardParameters(false),
      seqno: optional(kind.int32, 'Seqno.', { check: positive('seqno') }),
      lt: optional(kind.int64, 'Logical time within the block.', { check: nonNegative('lt') }),
      unixtime: optional(kind.int32, 'First block at or after this time.', {
        check: nonNegative('unixtime'),
      }),
    },
    result: 'ton.blockIdExt',
    check: ({ seqno: bySeqno, lt, unixtime }) =>
      [bySeqno, lt, unixtime].filter((value) => value !== undefined).length > 1
        ? 'exactly one of seqno, lt, unixtime should be specified'
        : undefined,
  }),
  getShards: method({
    tag: 'Blocks',
    summary: 'List the shards as of a masterchain block',
    parameters: { seqno: mcBlockSeqno },
    result: 'blocks.shards',
  }),
  getBlockHeader: method({
    tag: 'Blocks',
    summary: 'Get the header of a block',
    parameters: blockParameters,
    result: 'blocks.header',
  }),
  getBlock: {
    ...method({
      tag: 'Blocks',
      summary: 'Get a block as it was serialised',
      parameters: blockParameters,
      result: 'blocks.blockData',
    }),
    beyondSeed: true,
  },
  getOutMsgQueueSize: method({
    tag: 'Blocks',
    summary: 'Get the sizes of the outbound message queues',
    parameters: {},
    result: 'blocks.outMsgQueueSizes',
  }),

  getBlockTransactions: listingMethod('List the ids of the transactions of a block', 'blocks.transactions'),
  getBlockTransactionsExt: listingMethod('List the transactions of a block', 'blocks.transactionsExt'),
  getTransactions: method({
    tag: 'Transactions',
    summary: 'List the transactions of an account, newest first',
    parameters: history,
    result: 'array',
    check: ({ lt, hash }) => (!lt === (hash === undefined) ? undefined : TOGETHER),
  }),
  getTransactionsStd: method({
    tag: 'Transactions',
    summary: 'List the transactions of an account, newest first, with a cursor',
    parameters: history,
    result: 'raw.transactions',
    check: ({ lt, hash }) => ((lt === undefined) === (hash === undefined) ? undefined : TOGETHER),
  }),
  tryLocateTx: locateMethod('Find the transaction that received a message'),
  tryLocateResultTx: locateMethod('Find the transaction that received a message'),
  tryLocateSourceTx: locateMethod('Find the transaction that sent a message'),

  sendBoc: sendMethod('Send an external message', 'ok'),
  sendBocReturnHash: sendMethod('Send an external message and get its hashes', 'raw.extMessageInfo'),
  sendBocReturnHashNoError: sendMethod(
    'Like sendBocReturnHash, but failures have status 400',
    'raw.extMessageInfo',
    true,
  ),
  estimateFee: method({
    tag: 'Send',
    summary: 'Estimate the fees of a message',
    postOnly: true,
    parameters: {
      address: required(kind.addressKind(), 'Destination of the message.'),
      body: required(kind.bytes, 'Body of the message.'),
      init_code: optional(kind.bytes, 'Code to deploy.'),
      init_data: optional(kind.bytes, 'Data to deploy.'),
      ignore_chksig: withDefault(kind.strictFlag, true, 'Treat every signature as valid.'),
    },
    result: 'query.fees',
  }),

  runGetMethod: runMethod('Run a get-method'),
  runGetMethodStd: runMethod('Run a get-method with typed stack entries'),

  detectAddress: oneAddress('Get all forms of an address', 'ext.utils.detectedAddress'),
  detectHash: method({
    tag: 'Utils',
    summary: 'Get all forms of a hash',
    parameters: { hash: required(kind.detectableHash, 'Hash in any form.') },
    result: 'ext.utils.detectedHash',
  }),
  packAddress: oneAddress('Get the user-friendly form of an address', 'string'),
  unpackAddress: oneAddress('Get the raw form of an address', 'string'),

  getConfigParam: {
    ...method({
      tag: 'Configuration',
      summary: 'Get a configuration parameter',
      parameters: {
        config_id: optional(kind.int32, 'Number of the parameter.', { check: nonNegative('param') }),
        param: optional(kind.int32, 'Older name of config_id.', { check: nonNegative('param') }),
        seqno,
      },
      result: 'configInfo',
    }),
  },
  getConfigAll: method({
    tag: 'Configuration',
    summary: 'Get the whole configuration',
    parameters: { seqno },
    result: 'configInfo',
  }),
  getLibraries: method({
    tag: 'Configuration',
    summary: 'Get public libraries by hash',
    parameters: { libraries: listOf(kind.hash, 'Hashes of the libraries, at most 16.') },
    result: 'smc.libraryResult',
  }),
  dnsResolve: {
    ...method({
      tag: 'Accounts',
      summary: 'Resolve a domain',
      parameters: {
        domain: optional(kind.text, 'Domain, which is resolved as a whole.'),
        resolver_address: optional(
          kind.addressKind(),
          'With `domain`: resolver contract at which to start. Default: the root of the network.',
        ),
        address: optional(
          kind.addressKind(),
          'Without `domain`: resolver contract at which to start, as TON Center had it before.',
        ),
        name: withDefault(kind.text, '', 'With `address`: domain.'),
        category: optional(kind.text, 'Ignored: all categories are returned.'),
        ttl: withDefault(kind.int32, 0, 'With `address`: maximum number of further resolvers to query.', {
          check: nonNegative('ttl'),
        }),
        seqno: optional(kind.strictInt32, 'Masterchain block at which to resolve.', {
          check: positive('seqno'),
        }),
      },
      result: 'dns.resolved',
      check: ({ domain, address }) =>
        (domain === undefined) === (address === undefined)
          ? 'exactly one of domain, address should be specified'
          : undefined,
    }),
    beyondSeed: true,
  },
} as const satisfies Readonly<Record<string, V2Method>>

/** Names of methods, without their aliases. */
export type V2MethodName = keyof typeof V2_METHODS
/** Values of a method's parameters after they were read and checked. */
export type V2ValuesOf<N extends V2MethodName> = V2Values<(typeof V2_METHODS)[N]['parameters']>

/** Alternative names of methods. */
export const V2_ALIASES: Readonly<Record<string, V2MethodName>> = { shards: 'getShards' }

/** The method of a path segment or of a JSON-RPC call. */
export function v2MethodName(name: string): V2MethodName | undefined {
  if (Object.hasOwn(V2_METHODS, name)) return name as V2MethodName
  return Object.hasOwn(V2_ALIASES, name) ? V2_ALIASES[name] : undefined
}
