import type { Address, Trace, TraceMessage, TraceTransaction } from '@shardwalk/actions'
import {
  ACCOUNT_STATUS,
  type AccountId,
  formatRawAddress,
  type Lt,
  type McBlockSeqno,
  MESSAGE_KIND,
  type Nanotons,
  SYSTEM_ADDRESS,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import { MESSAGE_FLAGS } from '@shardwalk/tables'
import { unpackDescription } from '@shardwalk/tlb'
import type { PieceId } from '@shardwalk/traces'
import type pg from 'pg'
import type { AddressBook } from '../facts/address-book.ts'
import { greatest, least } from '../rows/lt.ts'
import { byteaArray, type CopyReader, copyOut, int8Array } from './copy-out.ts'

/**
 * Maximum number of transactions read of a trace, in order of lt: enough to list the participants of larger
 * ones.
 */
export const MAX_NODES_READ = 10_000

/** The columns of a trace that the caller has read. */
export interface TraceRowRead {
  readonly piece: PieceId
  readonly trace_id: Buffer
  readonly external_hash: Buffer | null
  readonly external_hash_norm: Buffer | null
  readonly mc_seqno_end: McBlockSeqno
  readonly start_lt: Lt
  readonly end_lt: Lt
  readonly start_utime: number
  readonly end_utime: number
  readonly nodes: number
}

/** Columns of `traces r`. */
export const TRACE_COLUMNS_READ =
  'r.piece, r.trace_id, r.external_hash, r.external_hash_norm, r.mc_seqno_end, ' +
  'r.start_lt, r.end_lt, r.start_utime, r.end_utime, r.nodes'

/** A trace for the classifier, and what its actions are written with. */
export interface LoadedTrace {
  readonly row: TraceRowRead
  readonly trace: Trace
  /** Ids of the accounts with transactions in the trace. */
  readonly accountIds: ReadonlyMap<Address, AccountId>
}

/** Complete traces in the form that the classifier reads, in the order of `rows`; three statements. */
export async function loadTraces(
  client: pg.ClientBase,
  book: AddressBook,
  rows: readonly TraceRowRead[],
): Promise<LoadedTrace[]> {
  const transactions = await loadTransactions(client, rows)
  const messages = await loadMessages(client, transactions)
  const addressOf = await book.read(client, accountsOf(transactions, messages.all))
  const byTrace = groupByTrace(transactions)
  return rows.map((row) => {
    const own = byTrace.get(row.trace_id.toString('latin1')) ?? []
    return {
      row,
      trace: toTrace(
        row,
        own.map((transaction) => toTransaction(transaction, messages, addressOf)),
      ),
      accountIds: new Map(own.map(({ account_id: id }) => [addressOf(id), id])),
    }
  })
}

/** Traces by id; incomplete ones are omitted. */
export async function findTraceRows(client: pg.ClientBase, ids: readonly Buffer[]): Promise<TraceRowRead[]> {
  const { rows } = await client.query<TraceRowRead>(
    `select ${TRACE_COLUMNS_READ} from traces r where r.trace_id = any($1) and r.state = 0
      order by r.trace_id`,
    [ids],
  )
  return rows
}

const toTrace = (row: TraceRowRead, transactions: readonly TraceTransaction[]): Trace => ({
  traceId: base64(row.trace_id),
  externalHash: row.external_hash && base64(row.external_hash),
  externalHashNorm: row.external_hash_norm && base64(row.external_hash_norm),
  mcBlockSeqnoEnd: row.mc_seqno_end,
  startLt: row.start_lt,
  endLt: row.end_lt,
  startUtime: row.start_utime,
  endUtime: row.end_utime,
  nodes: row.nodes,
  transactions,
})

function* accountsOf(
  transactions: readonly TransactionRow[],
  messages: readonly MessageRow[],
): Generator<AccountId | null> {
  for (const row of transactions) yield row.account_id
  for (const row of messages) {
    yield row.account_id
    yield row.destination_id
  }
}

async function loadTransactions(
  client: pg.ClientBase,
  rows: readonly TraceRowRead[],
): Promise<TransactionRow[]> {
  const whole = rows.filter((row) => row.nodes <= MAX_NODES_READ)
  const found = whole.length > 0 ? [await queryTransactions(client, whole, null)] : []
  for (const row of rows)
    if (row.nodes > MAX_NODES_READ) found.push(await queryTransactions(client, [row], MAX_NODES_READ))
  return found.flat()
}

async function queryTransactions(
  client: pg.ClientBase,
  rows: readonly TraceRowRead[],
  limit: number | null,
): Promise<TransactionRow[]> {
  const from = rows.map((row) => row.start_lt).reduce(least)
  const to = rows.map((row) => row.end_lt).reduce(greatest)
  const reader = await copyOut(
    client,
    `select t.account_id, t.lt, t.in_msg_account_id, t.in_msg_lt, t.now, t.mc_block_seqno, t.exit_code,
       t.kind, t.orig_status, t.end_status, t.out_msg_count, t.aborted, t.hash, k.trace_id,
       case when t.exit_code is null then t.description end
     from unnest(${int8Array(rows.map((row) => row.piece))}, ${byteaArray(rows.map((row) => row.trace_id))})
       k(root, trace_id)
     cross join lateral pieces_of_trace(k.root) p(piece)
     join transactions t on t.piece = p.piece and t.lt between ${from} and ${to}
     order by t.lt, t.account_id${limit === null ? '' : ` limit ${limit}`}`,
  )
  const found: TransactionRow[] = []
  while (reader.nextRow()) found.push(readTransaction(reader))
  return found
}

interface TransactionRow {
  readonly account_id: AccountId
  readonly lt: Lt
  readonly in_msg_account_id: AccountId | null
  readonly in_msg_lt: Lt | null
  readonly now: number
  readonly mc_block_seqno: McBlockSeqno
  readonly exit_code: number | null
  readonly kind: number
  readonly orig_status: number
  readonly end_status: number
  readonly out_msg_count: number
  readonly aborted: boolean | null
  readonly hash: Buffer
  readonly trace_id: Buffer
  /** Null where the compute phase ran. */
  readonly description: Buffer | null
}

const readTransaction = (row: CopyReader): TransactionRow => ({
  account_id: row.int8(),
  lt: row.int8(),
  in_msg_account_id: row.int8OrNull(),
  in_msg_lt: row.int8OrNull(),
  now: row.int4(),
  mc_block_seqno: row.int4(),
  exit_code: row.int4OrNull(),
  kind: row.int2(),
  orig_status: row.int2(),
  end_status: row.int2(),
  out_msg_count: row.int2(),
  aborted: row.boolOrNull(),
  hash: row.bytea(),
  trace_id: row.bytea(),
  description: row.byteaOrNull(),
})

interface MessageRow {
  readonly account_id: AccountId
  readonly lt: Lt
  readonly destination_id: AccountId | null
  readonly value: Nanotons | null
  readonly created_at: number | null
  readonly opcode: number | null
  readonly kind: number
  readonly flags: number
  readonly hash: Buffer
  readonly body: Buffer | null
  readonly init_state: Buffer | null
  readonly value_extra: Readonly<Record<string, string>> | null
}

const readMessage = (row: CopyReader): MessageRow => ({
  account_id: row.int8(),
  lt: row.int8(),
  destination_id: row.int8OrNull(),
  value: row.int8OrNull(),
  created_at: row.int4OrNull(),
  opcode: row.int4OrNull(),
  kind: row.int2(),
  flags: row.int2(),
  hash: row.bytea(),
  body: row.byteaOrNull(),
  init_state: row.byteaOrNull(),
  value_extra: row.jsonbOrNull(),
})

function groupByTrace(rows: readonly TransactionRow[]): ReadonlyMap<string, TransactionRow[]> {
  const groups = new Map<string, TransactionRow[]>()
  for (const row of rows) {
    const key = row.trace_id.toString('latin1')
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

/** Messages by their key; see docs/schema.md, "Messages have a natural key". */
class Messages {
  private readonly byAccount = new Map<AccountId, Map<Lt, MessageRow>>()
  readonly all: MessageRow[] = []

  add(row: MessageRow): void {
    this.all.push(row)
    const own = this.byAccount.get(row.account_id)
    if (own) own.set(row.lt, row)
    else this.byAccount.set(row.account_id, new Map([[row.lt, row]]))
  }

  find(account: AccountId, lt: Lt): MessageRow | undefined {
    return this.byAccount.get(account)?.get(lt)
  }
}

/**
 * Loads the messages that the transactions sent and those that the roots received; every other received
 * message was sent by one of the transactions.
 */
async function loadMessages(
  client: pg.ClientBase,
  transactions: readonly TransactionRow[],
): Promise<Messages> {
  const ranges: { account: AccountId; from: Lt; to: Lt }[] = []
  for (const row of transactions) {
    const {
      account_id: account,
      lt,
      out_msg_count: sent,
      in_msg_account_id: sender,
      in_msg_lt: receivedLt,
    } = row
    if (sent > 0) ranges.push({ account, from: lt + 1n, to: lt + BigInt(sent) })
    const isRoot = sender === null || row.hash.equals(row.trace_id)
    if (receivedLt !== null && isRoot)
      ranges.push({ account: sender ?? account, from: receivedLt, to: receivedLt })
  }
  const messages = new Messages()
  if (ranges.length === 0) return messages
  // Bounds that the planner sees, so that it leaves out other partitions, and with them archive servers.
  const first = ranges.map(({ from }) => from).reduce(least)
  const last = ranges.map(({ to }) => to).reduce(greatest)
  const reader = await copyOut(
    client,
    `select m.account_id, m.lt, m.destination_id, m.value, m.created_at, m.opcode, m.kind, m.flags, m.hash,
      m.body, m.init_state, m.value_extra
     from unnest(${int8Array(ranges.map(({ account }) => account))},
       ${int8Array(ranges.map(({ from }) => from))}, ${int8Array(ranges.map(({ to }) => to))})
       k(account_id, from_lt, to_lt)
     join messages m on m.account_id = k.account_id and m.lt between k.from_lt and k.to_lt
       and m.lt between ${first} and ${last}`,
  )
  while (reader.nextRow()) messages.add(readMessage(reader))
  return messages
}

const base64 = (bytes: Buffer): string => bytes.toString('base64')

function toTransaction(
  row: TransactionRow,
  messages: Messages,
  addressOf: (id: AccountId) => Address,
): TraceTransaction {
  const compute = row.description && unpackDescription(row.description).computePhase
  const incoming =
    row.in_msg_lt === null ? undefined : messages.find(row.in_msg_account_id ?? row.account_id, row.in_msg_lt)
  const outgoing = Array.from({ length: row.out_msg_count }, (_, index) =>
    messages.find(row.account_id, row.lt + 1n + BigInt(index)),
  )
  return {
    hash: base64(row.hash),
    account: addressOf(row.account_id),
    lt: row.lt,
    now: row.now,
    mcBlockSeqno: row.mc_block_seqno,
    origStatus: ACCOUNT_STATUS[row.orig_status]!,
    endStatus: ACCOUNT_STATUS[row.end_status]!,
    kind: TRANSACTION_KIND[row.kind]!,
    aborted: row.aborted === true,
    exitCode: row.exit_code,
    skipReason: compute?.skipped ? compute.reason : null,
    inMessage: incoming ? toMessage(incoming, addressOf) : null,
    outMessages: outgoing
      .filter((message) => message !== undefined)
      .map((message) => toMessage(message, addressOf)),
  }
}

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')

function toMessage(row: MessageRow, addressOf: (id: AccountId) => Address): TraceMessage {
  const external = row.kind === EXTERNAL_IN
  return {
    hash: base64(row.hash),
    source: external ? null : isSystem(row) ? formatRawAddress(SYSTEM_ADDRESS) : addressOf(row.account_id),
    destination: row.destination_id === null ? null : addressOf(row.destination_id),
    value: row.value,
    extraCurrencies: row.value_extra,
    createdLt: external ? null : row.lt,
    createdAt: row.created_at,
    opcode: row.opcode === null ? null : row.opcode >>> 0,
    bounce: external ? null : (row.flags & MESSAGE_FLAGS.bounce) !== 0,
    body: row.body,
    initState: row.init_state,
  }
}

const isSystem = (row: MessageRow): boolean => (row.flags & MESSAGE_FLAGS.system) !== 0
