import { type ExactJson, parseExactJson } from '@shardwalk/api-schema'
import { Address, Cell } from '@ton/core'
import type { GoldenEntry } from './golden-files.ts'

/** The expected reply of the current line where a reply of the 2.0 line was recorded. */
export interface Expectation {
  readonly status: number
  /** Undefined when only the status is expected. */
  readonly body?: ExactJson
  readonly volatile: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: replies of many shapes are rewritten in place.
type Mutable = { [key: string]: any }

/**
 * Cases whose status differs from the reference implementation, see docs/compatibility-v2.md. The first match
 * applies.
 */
const STATUS: readonly (readonly [RegExp, number])[] = [
  [/^get\w+\/(bare-hex|short-raw|seqno-negative|seqno-zero|seqno-too-big)$/, 422],
  [/^(detect|pack|unpack)Address\/(bare-hex|short-hex)$/, 422],
  [/^(pack|unpack)Address\/mixed-alphabet$/, 200],
  [/^(shards|getMasterchainBlockSignatures)\/(zero|negative)$/, 422],
  [/^getMasterchainBlockSignatures\/rpc-missing$/, 422],
  [/^getBlock\w+\/(bad-hash|count-0|count-negative|after-lt-only|after-bad-hash|rpc-missing-all)$/, 422],
  [/^lookupBlock\/(mc-seqno-negative|time-negative|two-selectors|mc-time-future)$/, 422],
  [/^getTransactions\/(lt-only|hash-only|rpc-limit-0|rpc-limit-1001)$/, 422],
  [/^getTransactions\/limit-101$/, 200],
  [/^tryLocate\w+\/(bad-source|lt-negative|rpc-missing-all|missing-lt)$/, 422],
  [/^tryLocate\w+\/(not-found|swapped)$/, 404],
  [/^runGetMethod\/num-(empty|word|null|float|too-big)$/, 422],
  [/^runGetMethod\/(cell-not-boc|one-element-entry|three-element-entry)$/, 422],
  [/^runGetMethod\/(garbage-address|unknown-member)$/, 422],
  [/^runGetMethod\/(builder-type|rpc-unsupported-type)$/, 542],
  [
    /^runGetMethod\/(num-integer-alias|cell-short-names|cell-object|tuple-type|list-type|method-id-\w+)$/,
    200,
  ],
  [/^runGetMethodStd\/bad-boc$/, 422],
  [/^runGetMethodStd\/(tester-get_nan|sum-hex)$/, 200],
  [/^estimateFee\/(body-empty|code-without-data)$/, 422],
  [/^sendBoc(ReturnHash)?\/(rpc-)?(garbage|text|number|not-base64)$/, 422],
  [/^getConfigParam\/negative-param$/, 422],
  [/^getConfigParam\/other-name$/, 200],
  [/^getLibraries\/bad$/, 422],
  [/^getLibraries\/rpc-missing$/, 200],
  [/^getTokenData\/dns\/govern-scenario$/, 409],
  [/^getTokenData\/dns\//, 200],
  [/^getTokenData\/nft-collection\/0-non-bounceable$/, 200],
  [/\/post-form$/, 200],
  [/^jsonRPC\/text-content-type$/, 200],
  [/^jsonRPC\/method-case$/, 404],
  [/^unknown\/(trailing-slash|repeated-parameter)$/, 200],
]

/** Cases that are not specified, or that other tests check because the reply differs by design. */
const OPEN: readonly RegExp[] = [
  /^detectAddress\/workchain-minus-2$/,
  /^(pack|unpack)Address\/workchain-(300|minus-2)$/,
  /^getBlockTransactions(Ext)?\/after-hash-only$/,
  /^lookupBlock\/shard-zero$/,
  /^tryLocate\w+\/lt-(future|zero)$/,
  /^runGetMethod\/method-id$/,
  /^runGetMethodStd\/unsupported$/,
  /^unknown\/api-key-parameter$/,
]

/** Undefined when nothing is expected. */
export function expectationOf(entry: GoldenEntry): Expectation | undefined {
  const { name, method } = entry
  if (OPEN.some((pattern) => pattern.test(name))) return undefined
  if (name === 'detectHash/hex') return { status: 200, volatile: ['/result'] }
  if (name === 'runGetMethod/tester-get_builder' || name === 'runGetMethod/tester-get_nan')
    return { status: 200, volatile: [] }
  const ruled = STATUS.find(([pattern]) => pattern.test(name))
  if (ruled) return { status: ruled[1], volatile: [] }
  // tryLocate of the 2.0 line does not find some existing messages.
  if (method.startsWith('tryLocate') && entry.status >= 500) return { status: 200, volatile: [] }
  const status = entry.status === 416 || entry.status === 503 ? 422 : entry.status
  if (entry.body === undefined) return { status, volatile: [] }
  const body = withoutExtra(structuredClone(entry.body)) as Mutable
  const volatile = entry.volatile.filter((pattern) => !pattern.startsWith('**/@extra'))
  if (body['ok'] === false) return { status, body: { ok: false, code: status }, volatile }
  translate(body, entry)
  if (method === 'getAddressInformation') volatile.push('/result/suspended')
  if (entry.http.path === '/jsonRPC') echo(body, entry)
  return { status, body: body as ExactJson, volatile }
}

function withoutExtra(value: ExactJson): ExactJson {
  if (Array.isArray(value)) return value.map(withoutExtra)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '@extra')
      .map(([key, member]) => [key, withoutExtra(member)]),
  )
}

/** `jsonrpc` and `id` are returned as sent, a number as text. */
function echo(body: Mutable, { http }: GoldenEntry): void {
  const request = (http.raw === undefined ? http.body : parseExactJson(http.raw)) as Mutable
  delete body['jsonrpc']
  delete body['id']
  if (typeof request['jsonrpc'] === 'string') body['jsonrpc'] = request['jsonrpc']
  if (['string', 'number'].includes(typeof request['id'])) body['id'] = String(request['id'])
}

function translate(body: Mutable, entry: GoldenEntry): void {
  const change = Object.hasOwn(RESULTS, entry.method) ? RESULTS[entry.method] : undefined
  const replaced = change?.(body['result'], entry)
  if (typeof replaced === 'string') body['result'] = replaced
}

const asText = (object: Mutable, ...keys: readonly string[]): void => {
  for (const key of keys) if (key in object) object[key] = String(object[key])
}

const argumentOf = ({ http }: GoldenEntry, name: string): string => {
  const body = http.body as Mutable | undefined
  return http.query?.find(([key]) => key === name)?.[1] ?? body?.['params']?.[name] ?? body?.[name]
}

const upperRaw = (friendly: string): string => {
  const address = Address.parse(friendly)
  return `${address.workChain}:${address.hash.toString('hex').toUpperCase()}`
}

function extMessage(message: Mutable): void {
  message['@type'] = 'ext.message'
  const data = message['msg_data']
  if (data['@type'] === 'msg.dataText') message['message'] = Buffer.from(data['text'], 'base64').toString()
  else if (data['@type'] !== 'msg.dataRaw') delete message['message']
  else {
    const text = (message['message'] ?? '').replaceAll('\n', '')
    message['message'] = text === '' ? '' : `${text}\n`
  }
}

function extTransaction(transaction: Mutable): void {
  transaction['@type'] = 'ext.transaction'
  transaction['account'] = upperRaw(transaction['address']['account_address'])
  for (const message of [transaction['in_msg'] ?? [], transaction['out_msgs']].flat()) extMessage(message)
}

function markEnd(cell: Mutable): void {
  const { len, b64 } = cell['data']
  if (len % 8 !== 0) {
    const bytes = Buffer.from(b64, 'base64')
    bytes[bytes.length - 1]! |= 0x80 >> (len % 8)
    cell['data']['b64'] = bytes.toString('base64')
  }
  cell['special'] ??= false
  cell['refs'].forEach(markEnd)
}

const TOKEN_TYPES: Readonly<Record<string, string>> = {
  jetton_master: 'jettonMasterData',
  jetton_wallet: 'jettonWalletData',
  nft_collection: 'nftCollectionData',
  nft_item: 'nftItemData',
}

// biome-ignore lint/suspicious/noExplicitAny: as above, each function handles its own shape.
const RESULTS: Readonly<Record<string, (result: any, entry: GoldenEntry) => string | void>> = {
  getAddressInformation: (result) => asText(result, 'balance'),
  getExtendedAddressInformation(result) {
    if (result.balance === '-1') result.balance = '0'
    const state = result.account_state
    if (typeof state.wallet_id === 'string') state.wallet_id = Number(state.wallet_id)
  },
  getWalletInformation(result) {
    result['@type'] = 'ext.accounts.walletInformation'
    delete result.extra_currencies
    asText(result, 'balance')
    if (result.wallet_type !== 'nominator pool v1') return
    result.wallet = false
    delete result.wallet_type
  },
  getTransactions: (result) => result.forEach(extTransaction),
  tryLocateTx: extTransaction,
  tryLocateResultTx: extTransaction,
  tryLocateSourceTx: extTransaction,
  getBlockTransactionsExt(result) {
    for (const transaction of result.transactions) {
      transaction['@type'] = 'raw.transactionExt'
      transaction.account = upperRaw(transaction.address.account_address)
    }
  },
  getBlockHeader(result) {
    delete result.flags
  },
  getConsensusBlock(result) {
    result['@type'] = 'ext.blocks.consensusBlock'
  },
  runGetMethod(result) {
    for (const [type, value] of result.stack) if (type === 'cell') markEnd(value.object)
  },
  getTokenData(result, entry) {
    const address = argumentOf(entry, 'address')
    result['@type'] = `ext.tokens.${TOKEN_TYPES[result.contract_type]}`
    result.address = address.includes(':') ? upperRaw(address) : address
    asText(result, 'total_supply', 'balance', 'index', 'next_item_index')
  },
  dnsResolve(result) {
    for (const { entry } of result.entries)
      if (entry.bag_id) entry.bag_id = Buffer.from(entry.bag_id, 'base64').toString('hex')
  },
  detectAddress(result) {
    result['@type'] = 'ext.utils.detectedAddress'
    result.raw_form = result.raw_form.toLowerCase()
    for (const key of ['bounceable', 'non_bounceable'])
      result[key]['@type'] = 'ext.utils.detectedAddressVariant'
  },
  packAddress: (result: string) => result.replaceAll('+', '-').replaceAll('/', '_'),
  unpackAddress: (result: string) => result.toUpperCase(),
}

const roots = new Map<string, string | undefined>()

function rootOf(text: string): string | undefined {
  if (!roots.has(text)) {
    try {
      roots.set(text, Cell.fromBase64(text).hash().toString('hex'))
    } catch {
      roots.set(text, undefined)
    }
  }
  return roots.get(text)
}

/** Bags of cells are equal when their roots are: their bytes depend on the order of cells. */
export const sameBag = (a: string, b: string): boolean =>
  a.startsWith('te6cc') && b.startsWith('te6cc') && rootOf(a) !== undefined && rootOf(a) === rootOf(b)
