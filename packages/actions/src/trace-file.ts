import { errorMessage } from '@shardwalk/model'
import type { AccountFacts, NftItemFact } from './facts.ts'
import { Fields, isRawAddress, quoteLongIntegers, TraceFileError } from './file-fields.ts'
import type { Address, Trace, TraceMessage, TraceTransaction } from './trace.ts'

/** A trace in a file, with the facts known then. Format: README of fixtures/traces, `format: 1`. */
export interface TraceFile {
  readonly format: number
  readonly trace: Record<string, unknown>
  readonly transactions: readonly Record<string, unknown>[]
  readonly interfaces: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>
}

/** Contents of a file. */
export interface ReadTraceFile {
  readonly trace: Trace
  readonly facts: ReadonlyMap<Address, AccountFacts>
}

/** Parses the file's text. Throws TraceFileError, which names the place, when the text is invalid. */
export function parseTraceFile(text: string): ReadTraceFile {
  let file: unknown
  try {
    file = JSON.parse(quoteLongIntegers(text.replace(/^\ufeff/, '')))
  } catch (error) {
    throw new TraceFileError(`not JSON: ${errorMessage(error)}`, {
      cause: error,
    })
  }
  return readTraceFile(file)
}

/** Reads a parsed file. Members that classification does not need may be absent; numbers may be texts. */
export function readTraceFile(file: unknown): ReadTraceFile {
  const fields = new Fields(file, '')
  const format = (file as { readonly format?: unknown }).format
  if (format !== 1) throw new TraceFileError(`format ${JSON.stringify(format)}, expected 1`)
  return {
    trace: readTrace(fields),
    facts: fields.has('interfaces') ? readFacts(fields.object('interfaces')) : new Map(),
  }
}

function readTrace(file: Fields): Trace {
  const row = file.object('trace')
  if (!file.has('transactions')) throw new TraceFileError('transactions: expected a list, found nothing')
  const mcBlockSeqnoEnd = row.intOrNull('mc_seqno_end')
  const transactions = file
    .list('transactions')
    .map((fields) => readTransaction(fields, mcBlockSeqnoEnd ?? 0))
  const [startLt, endLt] = bounds(transactions.map(({ lt }) => lt))
  const [startUtime, endUtime] = bounds(transactions.map(({ now }) => now))
  const [, lastSeqno] = bounds(transactions.map(({ mcBlockSeqno }) => mcBlockSeqno))
  return {
    traceId: row.text('trace_id'),
    externalHash: row.textOrNull('external_hash'),
    externalHashNorm: row.textOrNull('external_hash_norm'),
    mcBlockSeqnoEnd: mcBlockSeqnoEnd ?? lastSeqno ?? 0,
    startLt: row.bigOrNull('start_lt') ?? startLt ?? 0n,
    endLt: row.bigOrNull('end_lt') ?? endLt ?? 0n,
    startUtime: row.intOrNull('start_utime') ?? startUtime ?? 0,
    endUtime: row.intOrNull('end_utime') ?? endUtime ?? 0,
    transactions,
  }
}

function bounds<T extends bigint | number>(values: readonly T[]): [T | undefined, T | undefined] {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return [sorted[0], sorted.at(-1)]
}

function readTransaction(fields: Fields, mcBlockSeqnoEnd: number): TraceTransaction {
  const messages = fields
    .list('messages')
    .map((message) => ({ ...readMessage(message), direction: message.text('direction') }))
  const outgoing = messages.filter(({ direction }) => direction === 'out')
  return {
    hash: fields.text('hash'),
    account: fields.address('account'),
    lt: fields.big('lt'),
    now: fields.int('now'),
    mcBlockSeqno: fields.intOrNull('mc_block_seqno') ?? mcBlockSeqnoEnd,
    origStatus: fields.text('orig_status'),
    endStatus: fields.text('end_status'),
    kind: fields.textOrNull('descr') ?? 'ord',
    aborted: fields.boolOrNull('aborted') ?? false,
    exitCode: fields.intOrNull('compute_exit_code'),
    skipReason: fields.textOrNull('compute_skip_reason'),
    inMessage: messages.find(({ direction }) => direction === 'in') ?? null,
    outMessages: outgoing.sort((a, b) => Number((a.createdLt ?? 0n) - (b.createdLt ?? 0n))),
  }
}

function readMessage(fields: Fields): TraceMessage {
  return {
    hash: fields.text('msg_hash'),
    source: fields.addressOrNull('source'),
    destination: fields.addressOrNull('destination'),
    value: fields.bigOrNull('value'),
    extraCurrencies: fields.has('value_extra_currencies')
      ? readCurrencies(fields.object('value_extra_currencies'))
      : null,
    createdLt: fields.bigOrNull('created_lt'),
    createdAt: fields.intOrNull('created_at'),
    opcode: fields.uint32OrNull('opcode'),
    bounce: fields.boolOrNull('bounce'),
    body: fields.bytesOrNull('body'),
    initState: fields.bytesOrNull('init_state'),
  }
}

const readCurrencies = (currencies: Fields): Record<string, string> =>
  Object.fromEntries(currencies.keys().map((id) => [id, currencies.big(id).toString()]))

function readFacts(interfaces: Fields): ReadonlyMap<Address, AccountFacts> {
  const facts = new Map<string, AccountFacts>()
  for (const address of interfaces.keys()) {
    if (!isRawAddress(address)) throw new TraceFileError(`interfaces: ${address} is no address`)
    facts.set(address.toUpperCase(), readAccount(interfaces.object(address)))
  }
  return facts
}

function readAccount(known: Fields): AccountFacts {
  const read = <K extends string, T>(name: string, key: K, reader: (fields: Fields) => T) =>
    known.has(name) ? { [key]: reader(known.object(name)) } : {}
  return {
    ...read('JettonWallet', 'jettonWallet', (wallet) => ({
      owner: wallet.address('owner'),
      jetton: wallet.address('jetton'),
    })),
    ...read('NftItem', 'nftItem', readItem),
    ...read('NftSale', 'nftSale', (sale) => ({
      marketplace: sale.addressOrNull('marketplace_address'),
      nft: sale.addressOrNull('nft_address'),
      owner: sale.addressOrNull('nft_owner_address'),
      fullPrice: sale.bigOrNull('full_price'),
      codeHash: sale.textOrNull('code_hash'),
    })),
    ...read('NftAuction', 'nftAuction', (auction) => ({
      marketplace: auction.addressOrNull('mp_addr'),
      nft: auction.addressOrNull('nft_addr'),
      owner: auction.addressOrNull('nft_owner'),
      lastBid: auction.bigOrNull('last_bid'),
      codeHash: auction.textOrNull('code_hash'),
    })),
    ...read('DedustPool', 'dedustPool', (pool) => ({ assets: readAssets(pool) })),
    ...(known.has('NominatorPool') && { nominatorPool: true }),
    ...read('MultisigOrder', 'multisigOrder', (order) => ({
      multisig: order.addressOrNull('multisig_address'),
      signers: order.texts('signers'),
    })),
    ...read('data_boc', 'data', (account) => account.bytesOrNull('data_boc') ?? undefined),
  }
}

/** Contracts may have any form of content; only a web address matters. */
function readItem(item: Fields): NftItemFact {
  return {
    index: item.bigOrNull('index'),
    collection: item.addressOrNull('collection_address'),
    uri: item.looseText('content', 'uri'),
    codeHash: item.textOrNull('code_hash'),
    ...(item.boolOrNull('is_domain') && { isDomain: true }),
  }
}

function readAssets(pool: Fields): readonly [Address | null, Address | null] {
  const [first, second] = pool
    .list('assets')
    .map((asset) => (asset.boolOrNull('is_ton') ? null : asset.address('address')))
  if (first === undefined || second === undefined)
    throw new TraceFileError(`${pool.path}.assets: expected two`)
  return [first, second]
}
