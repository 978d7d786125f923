import type { AccountFacts } from './facts.ts'
import type { Address, Trace, TraceMessage, TraceTransaction } from './trace.ts'

/** A trace as written to a file, with the facts that were known. Format: README of fixtures/traces, `format: 1`. */
export interface TraceFile {
  readonly format: number
  readonly trace: Record<string, unknown>
  readonly transactions: readonly Record<string, unknown>[]
  readonly interfaces: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>
}

export class TraceFileError extends Error {}

/** What a file holds. */
export interface ReadTraceFile {
  readonly trace: Trace
  readonly facts: ReadonlyMap<Address, AccountFacts>
}

/** Reads the file's text. Throws TraceFileError when it is not such a file. */
export function parseTraceFile(text: string): ReadTraceFile {
  let file: TraceFile
  try {
    file = JSON.parse(text) as TraceFile
  } catch (error) {
    throw new TraceFileError('not JSON', { cause: error })
  }
  return readTraceFile(file)
}

export function readTraceFile(file: TraceFile): ReadTraceFile {
  if (file?.format !== 1) throw new TraceFileError(`format ${JSON.stringify(file?.format)}, expected 1`)
  if (typeof file.trace !== 'object' || file.trace === null || !Array.isArray(file.transactions))
    throw new TraceFileError('no trace or no transactions')
  try {
    return { trace: readTrace(file), facts: readFacts(file.interfaces ?? {}) }
  } catch (error) {
    if (error instanceof TraceFileError) throw error
    throw new TraceFileError(`malformed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

type Fields = Readonly<Record<string, unknown>>

const text = (fields: Fields, key: string): string => {
  const value = fields[key]
  if (typeof value !== 'string') throw new TraceFileError(`${key}: expected a string`)
  return value
}
const textOrNull = (fields: Fields, key: string): string | null => (fields[key] == null ? null : text(fields, key))
const int = (fields: Fields, key: string): number => {
  const value = fields[key]
  if (typeof value !== 'number') throw new TraceFileError(`${key}: expected a number`)
  return value
}
const intOrNull = (fields: Fields, key: string): number | null => (fields[key] == null ? null : int(fields, key))
const big = (fields: Fields, key: string): bigint => BigInt(fields[key] as string | number)
const bigOrNull = (fields: Fields, key: string): bigint | null => (fields[key] == null ? null : big(fields, key))
const boc = (fields: Fields, key: string): Buffer | null =>
  fields[key] == null ? null : Buffer.from(text(fields, key), 'base64')

function readTrace({ trace, transactions }: TraceFile): Trace {
  return {
    traceId: text(trace, 'trace_id'),
    externalHash: textOrNull(trace, 'external_hash'),
    externalHashNorm: textOrNull(trace, 'external_hash_norm'),
    mcSeqnoEnd: int(trace, 'mc_seqno_end'),
    startLt: big(trace, 'start_lt'),
    endLt: big(trace, 'end_lt'),
    startUtime: int(trace, 'start_utime'),
    endUtime: int(trace, 'end_utime'),
    transactions: transactions.map(readTransaction),
  }
}

function readTransaction(fields: Fields): TraceTransaction {
  const messages = (fields['messages'] ?? []) as readonly Fields[]
  const incoming = messages.find(({ direction }) => direction === 'in')
  const outgoing = messages.filter(({ direction }) => direction === 'out').map(readMessage)
  return {
    hash: text(fields, 'hash'),
    account: text(fields, 'account'),
    lt: big(fields, 'lt'),
    now: int(fields, 'now'),
    mcSeqno: int(fields, 'mc_block_seqno'),
    origStatus: text(fields, 'orig_status'),
    endStatus: text(fields, 'end_status'),
    kind: text(fields, 'descr'),
    aborted: fields['aborted'] === true,
    exitCode: intOrNull(fields, 'compute_exit_code'),
    skipReason: textOrNull(fields, 'compute_skip_reason'),
    inMessage: incoming ? readMessage(incoming) : null,
    outMessages: outgoing.sort((a, b) => ((a.createdLt ?? 0n) < (b.createdLt ?? 0n) ? -1 : 1)),
  }
}

function readMessage(fields: Fields): TraceMessage {
  const opcode = textOrNull(fields, 'opcode')
  return {
    hash: text(fields, 'msg_hash'),
    source: textOrNull(fields, 'source'),
    destination: textOrNull(fields, 'destination'),
    value: bigOrNull(fields, 'value'),
    extraCurrencies: (fields['value_extra_currencies'] ?? null) as Record<string, string> | null,
    createdLt: bigOrNull(fields, 'created_lt'),
    createdAt: intOrNull(fields, 'created_at'),
    opcode: opcode === null ? null : Number(opcode),
    bounce: (fields['bounce'] ?? null) as boolean | null,
    body: boc(fields, 'body'),
    initState: boc(fields, 'init_state'),
  }
}

function readFacts(interfaces: TraceFile['interfaces']): ReadonlyMap<Address, AccountFacts> {
  const facts = new Map<string, AccountFacts>()
  for (const [address, known] of Object.entries(interfaces)) facts.set(address, readAccount(known))
  return facts
}

function readAccount(known: Readonly<Record<string, Fields>>): AccountFacts {
  const { JettonWallet, NftItem, NftSale, NftAuction, DedustPool, NominatorPool, MultisigOrder, data_boc } = known
  return {
    ...(JettonWallet && { jettonWallet: { owner: text(JettonWallet, 'owner'), jetton: text(JettonWallet, 'jetton') } }),
    ...(NftItem && { nftItem: readItem(NftItem) }),
    ...(NftSale && {
      nftSale: {
        marketplace: textOrNull(NftSale, 'marketplace_address'),
        nft: textOrNull(NftSale, 'nft_address'),
        owner: textOrNull(NftSale, 'nft_owner_address'),
        fullPrice: bigOrNull(NftSale, 'full_price'),
        codeHash: textOrNull(NftSale, 'code_hash'),
      },
    }),
    ...(NftAuction && {
      nftAuction: {
        marketplace: textOrNull(NftAuction, 'mp_addr'),
        nft: textOrNull(NftAuction, 'nft_addr'),
        owner: textOrNull(NftAuction, 'nft_owner'),
        lastBid: bigOrNull(NftAuction, 'last_bid'),
        codeHash: textOrNull(NftAuction, 'code_hash'),
      },
    }),
    ...(DedustPool && { dedustPool: { assets: readAssets(DedustPool) } }),
    ...(NominatorPool && { nominatorPool: true }),
    ...(MultisigOrder && {
      multisigOrder: {
        multisig: textOrNull(MultisigOrder, 'multisig_address'),
        signers: (MultisigOrder['signers'] ?? []) as string[],
      },
    }),
    ...(data_boc && { data: Buffer.from(text(data_boc, 'data_boc'), 'base64') }),
  }
}

const readItem = (item: Fields) => ({
  index: bigOrNull(item, 'index'),
  collection: textOrNull(item, 'collection_address'),
  uri: ((item['content'] as Fields | null)?.['uri'] ?? null) as string | null,
  codeHash: textOrNull(item, 'code_hash'),
})

function readAssets(pool: Fields): readonly [string | null, string | null] {
  const [first, second] = pool['assets'] as readonly Fields[]
  const asset = (fields: Fields | undefined) => (fields?.['is_ton'] ? null : textOrNull(fields ?? {}, 'address'))
  return [asset(first), asset(second)]
}
