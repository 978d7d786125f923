import {
  ACCOUNT_STATUS,
  type AccountStatus,
  deriveAccountId,
  formatBlockId,
  MESSAGE_KIND,
  type RawAddress,
  type RawBlock,
  shardPrefixLength,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import { onlyTransactionsAndAccounts } from '@shardwalk/testkit'
import { coreDescription } from '@shardwalk/testkit/core-description'
import { isLong } from '@shardwalk/testkit/runs'
import {
  type Account,
  beginCell,
  Cell,
  CellType,
  type Message as CoreMessage,
  type Transaction as CoreTransaction,
  type CurrencyCollection,
  Dictionary,
  loadAccount,
  loadCurrencyCollection,
  loadMessage,
  loadTransaction,
  loadTransactionCreditPhase,
  loadTransactionStoragePhase,
  type Slice,
  storeStateInit,
} from '@ton/core'
import type { Row } from '../src/index.ts'

// The expected rows, read from the blocks by `@ton/core` alone, without the decoder under test.

export interface ExpectedTransaction {
  readonly row: Omit<Row<'transactions'>, 'description' | 'piece'>
  readonly description: ReturnType<typeof coreDescription>
}

/** Cells are compared by hash, because a bag of cells can be laid out in several ways. */
export type ExpectedMessage = Omit<Row<'messages'>, 'body' | 'init_state' | 'init_code_hash'> & {
  readonly body: string | null
  readonly init_state: string | null
}

export interface Expected {
  readonly transactions: ExpectedTransaction[]
  readonly messages: Map<string, ExpectedMessage>
  readonly statesAfter: Map<bigint, { readonly lt: bigint; readonly account: Account | undefined }>
}

export const messageKey = (row: { account_id: bigint; lt: bigint }): string => `${row.account_id}:${row.lt}`
export const cellHash = (cell: Cell): string => cell.hash(0).toString('hex')
const EMPTY_CELL = cellHash(beginCell().endCell())

/** Adds the contents of one block. `globalVersion` is 12 or later in every block of the recorded chain. */
export function readBlock(block: RawBlock, mcBlockSeqno: number, into: Expected): void {
  if (isLong || mcBlockSeqno % 10 === 0) assertRootHash(block)
  const root = Cell.fromBoc(onlyTransactionsAndAccounts(block.bytes))[0]!
  const [, , newState, extra] = root.refs as [Cell, Cell, Cell, Cell]
  const system = systemMessages(extra)
  for (const [accountId, transactions] of accountBlocks(extra)) {
    const address = { workchain: block.id.workchain, hash: bytes32(accountId) }
    const after = findAccount(newState, accountId)
    const id = deriveAccountId(address)
    into.statesAfter.set(id, { lt: transactions.at(-1)!.lt, account: after })
    for (const [index, tx] of transactions.entries()) {
      const state = index === transactions.length - 1 ? { account: after } : undefined
      addTransaction({ tx, id, block, mcBlockSeqno, state, system }, into)
    }
  }
}

function assertRootHash({ id, bytes }: RawBlock): void {
  if (!Cell.fromBoc(bytes)[0]!.hash().equals(id.rootHash))
    throw new Error(`${formatBlockId(id)} has another root hash`)
}

interface At {
  readonly tx: CoreTransaction
  readonly id: bigint
  readonly block: RawBlock
  readonly mcBlockSeqno: number
  readonly state: { readonly account: Account | undefined } | undefined
  readonly system: ReadonlySet<string>
}

function addTransaction({ tx, id, block, mcBlockSeqno, state, system }: At, into: Expected): void {
  const { inMsg, outMsgs } = messageCells(tx.raw)
  const inKey =
    inMsg && addMessage(inMsg, { accountId: id, txLt: tx.lt, system: system.has(cellHash(inMsg)) }, into)
  for (const cell of outMsgs) addMessage(cell, { accountId: id, txLt: tx.lt, system: false }, into)
  const description = coreDescription(tx.description)
  const compute = description.computePhase?.skipped === false ? description.computePhase : undefined
  into.transactions.push({
    description,
    row: {
      account_id: id,
      lt: tx.lt,
      prev_trans_lt: tx.prevTransactionLt,
      total_fees: tx.totalFees.coins,
      in_msg_account_id: inKey?.sender ?? null,
      in_msg_lt: inKey?.lt ?? null,
      balance_after: state ? (state.account?.storage.balance.coins ?? 0n) : null,
      gas_used: compute?.gasUsed ?? null,
      now: tx.now,
      mc_block_seqno: mcBlockSeqno,
      block_seqno: block.id.seqno,
      exit_code: compute?.exitCode ?? null,
      action_result_code: description.actionPhase?.resultCode ?? null,
      kind: TRANSACTION_KIND.indexOf(description.kind),
      orig_status: statusNumber(tx.oldStatus),
      end_status: statusNumber(tx.endStatus),
      shard_len: shardPrefixLength(block.id.shard),
      out_msg_count: tx.outMessagesCount,
      aborted: description.aborted ?? null,
      hash: tx.raw.hash(),
      prev_trans_hash: bytes32(tx.prevTransactionHash),
      state_hash_before: tx.stateUpdate.oldHash,
      state_hash_after: tx.stateUpdate.newHash,
      ...stateColumns(state?.account),
      total_fees_extra: currencies(tx.totalFees),
      jetton_balance: jettonBalance(state?.account),
      extra_currencies_after: state?.account ? currencies(state.account.storage.balance) : null,
    },
  })
}

/** The layouts of jetton wallets, read with the ecosystem's library. */
function jettonBalance(account: Account | undefined): string | null {
  const state = account?.storage.state
  const data = state?.type === 'active' ? state.state.data : undefined
  if (!data || data.isExotic) return null
  const found = [0, 4].flatMap((lead) => {
    try {
      const slice = data.beginParse().skip(lead)
      const balance = slice.loadCoins()
      const addresses = [slice.loadAddress(), slice.loadAddress()]
      return addresses.every(({ workChain }) => workChain === 0 || workChain === -1) ? [String(balance)] : []
    } catch {
      return []
    }
  })
  return found.length === 1 ? found[0]! : null
}

export function stateColumns(account: Account | undefined) {
  const state = account?.storage.state
  return {
    code_hash_after: state?.type === 'active' ? (state.state.code?.hash(0) ?? null) : null,
    data_hash_after: state?.type === 'active' ? (state.state.data?.hash(0) ?? null) : null,
    frozen_hash_after: state?.type === 'frozen' ? bytes32(state.stateHash) : null,
  }
}

/**
 * Adds the message unless the other side did. Returns the key of its row; `sender` is undefined when no
 * transaction sent it.
 */
function addMessage(
  cell: Cell,
  at: { readonly accountId: bigint; readonly txLt: bigint; readonly system: boolean },
  into: Expected,
): { sender: bigint | undefined; lt: bigint } {
  const message = loadMessage(cell.beginParse())
  const { info } = message
  const sent = info.type !== 'external-in' && !at.system
  const sender = sent ? deriveAccountId(raw(info.src)) : undefined
  const key = { account_id: sender ?? at.accountId, lt: sent ? info.createdLt : at.txLt }
  const row = messageRow(cell, message, key, at.system)
  const known = into.messages.get(messageKey(row))
  if (known && !known.hash.equals(row.hash)) throw new Error(`two messages at ${messageKey(row)}`)
  into.messages.set(messageKey(row), row)
  return { sender, lt: row.lt }
}

function messageRow(
  cell: Cell,
  message: CoreMessage,
  key: { account_id: bigint; lt: bigint },
  system: boolean,
): ExpectedMessage {
  const { info, body, init } = message
  const internal = info.type === 'internal' ? info : undefined
  const hash = cell.hash()
  const norm = info.type === 'external-in' ? normalizedHash(message) : hash
  const bits = body.isExotic ? 0 : body.bits.length
  return {
    ...key,
    destination_id: info.type === 'external-out' ? null : deriveAccountId(raw(info.dest)),
    value: internal?.value.coins ?? null,
    fwd_fee: internal?.forwardFee ?? null,
    ihr_fee: null,
    import_fee: info.type === 'external-in' ? info.importFee : null,
    body_hash8: body.hash().readBigInt64BE(0),
    created_at: info.type === 'external-in' ? null : info.createdAt,
    opcode: bits >= 32 ? body.beginParse().loadInt(32) : null,
    kind: MESSAGE_KIND.indexOf(info.type.replace('-', '_') as (typeof MESSAGE_KIND)[number]),
    flags:
      (internal?.ihrDisabled ? 1 : 0) |
      (internal?.bounce ? 2 : 0) |
      (internal?.bounced ? 4 : 0) |
      (system ? 8 : 0),
    hash,
    hash_norm: norm.equals(hash) ? null : norm,
    body: cellHash(body) === EMPTY_CELL ? null : cellHash(body),
    init_state: init ? cellHash(beginCell().store(storeStateInit(init)).endCell()) : null,
    external_destination: info.type === 'external-out' && info.dest ? externalBytes(info.dest) : null,
    value_extra: internal ? currencies(internal.value) : null,
    extra_flags: internal ? internal.ihrFee.toString() : null,
  }
}

/** Source: TEP-467. */
function normalizedHash({ info, body }: CoreMessage): Buffer {
  if (info.type !== 'external-in') throw new Error('only external-in messages are normalised')
  return beginCell()
    .storeUint(0b1000, 4)
    .storeAddress(info.dest)
    .storeCoins(0)
    .storeBit(0)
    .storeBit(1)
    .storeRef(body)
    .endCell()
    .hash()
}

function externalBytes({ value, bits }: { readonly value: bigint; readonly bits: number }): Buffer {
  const bytes = Math.ceil(bits / 8)
  const shifted = value << BigInt(bytes * 8 - bits)
  const result = Buffer.alloc(2 + bytes)
  result.writeUInt16BE(bits)
  Buffer.from(shifted.toString(16).padStart(bytes * 2, '0'), 'hex').copy(result, 2)
  return result
}

export function currencies({ other }: CurrencyCollection): Record<string, string> | null {
  if (!other || other.size === 0) return null
  return Object.fromEntries([...other].map(([id, amount]) => [String(id), amount.toString()]))
}

/**
 * Source: block.tlb, `^[ in_msg:(Maybe ^(Message Any)) out_msgs:(HashmapE 15 ^(Message Any)) ]` of a
 * transaction.
 */
function messageCells(transaction: Cell): { inMsg: Cell | null; outMsgs: Cell[] } {
  const slice = transaction.refs[0]!.beginParse()
  const inMsg = slice.loadMaybeRef()
  const outMsgs = slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())
  return { inMsg, outMsgs: [...outMsgs].sort(([a], [b]) => a - b).map(([, cell]) => cell) }
}

/** Source: block.tlb `ShardAccountBlocks`, `AccountBlock`. Ascending, as in the dictionary. */
function accountBlocks(extra: Cell): [bigint, CoreTransaction[]][] {
  const accounts = augmented(extra.refs[2]!, 256, (value) => {
    loadCurrencyCollection(value)
    if (value.loadUint(4) !== 5) throw new Error('not an account block')
    value.skip(256)
    const list = Dictionary.loadDirect(Dictionary.Keys.BigUint(64), reader(readTransaction), value)
    return [...list].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, transaction]) => transaction)
  })
  return [...accounts]
}

function readTransaction(value: Slice): CoreTransaction {
  loadCurrencyCollection(value)
  const cell = value.loadRef()
  const at = suspendedReasonAt(cell.refs.at(-1)!)
  if (at === undefined) return loadTransaction(cell.beginParse())
  // `@ton/core` 0.63 does not support block.tlb `cskip_suspended$110`, so it gets the same transaction with
  // `cskip_no_gas$10`.
  const description = cell.refs.at(-1)!
  const rest = description.bits.substring(at + 3, description.bits.length - at - 3)
  const readable = beginCell().storeBits(description.bits.substring(0, at)).storeUint(0b10, 2).storeBits(rest)
  for (const ref of description.refs) readable.storeRef(ref)
  const rebuilt = beginCell().storeBits(cell.bits)
  for (const ref of [...cell.refs.slice(0, -1), readable.endCell()]) rebuilt.storeRef(ref)
  const transaction = loadTransaction(rebuilt.endCell().beginParse())
  return { ...transaction, raw: cell, description: suspended(transaction.description) }
}

/**
 * Bit position of the reason in an ordinary description whose compute phase was skipped because of a
 * suspended address.
 */
function suspendedReasonAt(description: Cell): number | undefined {
  const slice = description.beginParse()
  if (slice.loadUint(4) !== 0) return undefined
  slice.skip(1)
  if (slice.loadBit()) loadTransactionStoragePhase(slice)
  if (slice.loadBit()) loadTransactionCreditPhase(slice)
  if (slice.loadBit() || slice.preloadUint(2) !== 3) return undefined
  return description.bits.length - slice.remainingBits
}

const suspended = (d: CoreTransaction['description']): CoreTransaction['description'] =>
  ({
    ...d,
    computePhase: { type: 'skipped', reason: 'suspended' },
  }) as unknown as CoreTransaction['description']

/** Hashes of `recover_create_msg` and `mint_msg` of a masterchain block. Source: block.tlb `McBlockExtra`. */
function systemMessages(extra: Cell): ReadonlySet<string> {
  const custom = extra.refs[3]
  const hashes = new Set<string>()
  if (!custom) return hashes
  const slice = custom.beginParse()
  slice.skip(16 + 1)
  if (slice.loadBit()) slice.loadRef()
  if (slice.loadBit()) slice.loadRef()
  loadCurrencyCollection(slice)
  loadCurrencyCollection(slice)
  const own = slice.loadRef().beginParse()
  own.loadMaybeRef()
  // msg_import_imm$011 in_msg:^MsgEnvelope; the message is the envelope's reference.
  for (const inMsg of [own.loadMaybeRef(), own.loadMaybeRef()])
    if (inMsg) hashes.add(cellHash(inMsg.refs[0]!.refs[0]!))
  return hashes
}

/**
 * The account in a state that contains only changed parts; undefined when it is not in the state. Source:
 * block.tlb `ShardStateUnsplit`.
 */
function findAccount(state: Cell, accountId: bigint): Account | undefined {
  const accounts = state.refs[1]!.beginParse()
  if (!accounts.loadBit()) return undefined
  const value = findInPruned(accounts.loadRef(), accountId.toString(2).padStart(256, '0'))
  if (!value) return undefined
  value.skip(5)
  loadCurrencyCollection(value)
  const account = value.loadRef().beginParse()
  return account.loadBit() ? loadAccount(account) : undefined
}

/**
 * Walks a dictionary along one key, so that pruned branches beside it do not matter. If the path itself is
 * pruned, the account did not change: there is none before or after. Source: block.tlb `Hashmap`, `HmLabel`.
 */
function findInPruned(root: Cell, key: string): Slice | undefined {
  let rest = key
  for (let cell = root; ; ) {
    if (cell.type === CellType.PrunedBranch) return undefined
    const slice = cell.beginParse()
    const label = loadLabel(slice, rest.length)
    if (!rest.startsWith(label)) return undefined
    rest = rest.slice(label.length)
    if (rest === '') return slice
    cell = cell.refs[Number(rest[0])]!
    rest = rest.slice(1)
  }
}

function loadLabel(slice: Slice, most: number): string {
  const width = Math.ceil(Math.log2(most + 1))
  const bits = (count: number) => Array.from({ length: count }, () => (slice.loadBit() ? '1' : '0')).join('')
  if (!slice.loadBit()) {
    let length = 0
    while (slice.loadBit()) length++
    return bits(length)
  }
  if (!slice.loadBit()) return bits(slice.loadUint(width))
  const bit = slice.loadBit() ? '1' : '0'
  return bit.repeat(slice.loadUint(width))
}

function augmented<T>(cell: Cell, keyBits: number, read: (value: Slice) => T): Dictionary<bigint, T> {
  const slice = cell.beginParse()
  if (!slice.loadBit()) return Dictionary.empty()
  return Dictionary.loadDirect(Dictionary.Keys.BigUint(keyBits), reader(read), slice.loadRef().beginParse())
}

const reader = <T>(parse: (slice: Slice) => T) => ({
  parse,
  serialize: () => {
    throw new Error('only read')
  },
})

export const statusNumber = (status: string): number => {
  const names: Record<string, AccountStatus> = { uninitialized: 'uninit', 'non-existing': 'nonexist' }
  return ACCOUNT_STATUS.indexOf(names[status] ?? (status as AccountStatus))
}

const bytes32 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
const raw = ({ workChain, hash }: { workChain: number; hash: Buffer }): RawAddress => ({
  workchain: workChain,
  hash,
})
