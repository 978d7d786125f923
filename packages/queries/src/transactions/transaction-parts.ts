import type { Db } from '@shardwalk/db'
import { NO_ACCOUNT_HASH, NO_TRANSACTION_HASH } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { BOOK_EXPRESSIONS, BOOK_TABLES, BOOK_TYPES, type BookRow } from '../address-book/book-rows.ts'
import {
  KEEP_PLAN,
  named,
  openedWithin,
  partColumns,
  rangeOf,
  statement,
  tableColumns,
  withKey,
} from '../idiom/index.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, messageKey, type StoredMessage } from '../messages/index.ts'
import type { TransactionRow } from './transaction-rows.ts'

const STATE_TYPES = tableColumns(
  'transactions',
  'balance_after',
  'code_hash_after',
  'data_hash_after',
  'frozen_hash_after',
  'extra_currencies_after',
  'end_status',
  'hash',
  'state_hash_after',
)

/** State of an account after one of its transactions. */
export type StateRow = Pick<TransactionRow, keyof typeof STATE_TYPES>

/** With the hashes that the table leaves to the row of the account's previous transaction. */
export type WholeTransactionRow = TransactionRow & {
  readonly prev_trans_hash: Buffer
  readonly state_hash_before: Buffer
}

/** What replies need besides the rows of the transactions on a page. */
export interface TransactionParts {
  inMsg(row: TransactionRow): StoredMessage | undefined
  /** Ordered by index. */
  outMsgs(row: TransactionRow): readonly StoredMessage[]
  /** State after the account's previous transaction; undefined when that is not indexed. */
  before(row: TransactionRow): StateRow | undefined
  whole(row: TransactionRow): WholeTransactionRow
  traceId(row: TransactionRow): Buffer | undefined
  /** Normalised hash of the external message that started the trace; undefined when either is unknown. */
  traceExternalHash(row: TransactionRow): Buffer | undefined
  /** All accounts of the transactions and their messages. */
  readonly accounts: readonly BookRow[]
}

/** Loads the parts for a page in one statement. */
export async function loadTransactionParts(
  db: Db,
  rows: readonly TransactionRow[],
): Promise<TransactionParts> {
  const states = new Map<string, StateRow>(rows.map((row) => [messageKey(row.account_id, row.lt), row]))
  const found = rows.length === 0 ? [] : await select(db, rows, states)
  const { messages, traces, accounts } = sortParts(found, states)
  const before = (row: TransactionRow) => states.get(messageKey(row.account_id, row.prev_trans_lt))
  return {
    inMsg: (row) =>
      row.in_msg_lt === null
        ? undefined
        : messages.get(messageKey(row.in_msg_account_id ?? row.account_id, row.in_msg_lt)),
    outMsgs: (row) => {
      const found: StoredMessage[] = []
      for (let i = 1n; i <= row.out_msg_count; i++) {
        const message = messages.get(messageKey(row.account_id, row.lt + i))
        if (message) found.push(message)
      }
      return found
    },
    before,
    whole: (row) => wholeRow(row, before(row)),
    traceId: (row) => traces.get(row.piece)?.trace_id,
    traceExternalHash: (row) => traces.get(row.piece)?.hash ?? undefined,
    accounts,
  }
}

/** Rows of a page by kind; states are added to `states`. */
function sortParts(rows: readonly PartRow[], states: Map<string, StateRow>) {
  const messages = new Map<string, StoredMessage>()
  const traces = new Map<bigint, TracePart>()
  const accounts: BookRow[] = []
  for (const row of rows)
    switch (row.part) {
      case PART.message:
        messages.set(messageKey(row.account_id, row.lt), row)
        break
      case PART.state:
        states.set(messageKey(row.account_id, row.lt), row)
        break
      case PART.trace:
        traces.set(row.piece, row)
        break
      case PART.account:
        accounts.push(row)
    }
  return { messages, traces, accounts }
}

/** The previous transaction is in the same piece, so it is missing only if both were removed meanwhile. */
function wholeRow(row: TransactionRow, before: StateRow | undefined): WholeTransactionRow {
  const isLinked = row.prev_trans_hash === null && row.prev_trans_lt > 0n
  return {
    ...row,
    prev_trans_hash: row.prev_trans_hash ?? (isLinked && before ? before.hash : NO_TRANSACTION_HASH),
    state_hash_before:
      row.state_hash_before ?? (isLinked && before ? before.state_hash_after : NO_ACCOUNT_HASH),
  }
}

/** The trace of a piece. */
interface TracePart {
  readonly piece: bigint
  readonly trace_id: Buffer
  /** Of the external message. */
  readonly hash: Buffer | null
}

const PART = { message: 0, state: 1, trace: 2, account: 3 } as const

type PartRow =
  | (StoredMessage & { readonly part: typeof PART.message })
  | (StateRow & { readonly part: typeof PART.state; readonly account_id: bigint; readonly lt: bigint })
  | (TracePart & { readonly part: typeof PART.trace })
  | (BookRow & { readonly part: typeof PART.account })

const COLUMNS = {
  ...MESSAGE_TYPES,
  code: 'bytea',
  ...STATE_TYPES,
  piece: 'int8',
  trace_id: 'bytea',
  ...BOOK_TYPES,
} as const

const columns = partColumns(COLUMNS)

const OF_MESSAGE = columns(PART.message, { ...named('f', Object.keys(MESSAGE_TYPES)), code: 'c.boc' })
const OF_STATE = columns(PART.state, named('t', ['account_id', 'lt', ...Object.keys(STATE_TYPES)]))
const OF_TRACE = columns(PART.trace, {
  piece: 'p.given',
  trace_id: 'r.trace_id',
  hash: `case when r.external_account_id is not null
    then coalesce(r.external_hash_norm, r.external_hash) end`,
})
const OF_ACCOUNT = columns(PART.account, BOOK_EXPRESSIONS)

/**
 * Raw: four kinds of rows in one round trip, with a kept plan. Index: primary keys of messages, transactions,
 * trace_pieces and codes, traces (piece), and those of `BOOK_TABLES`. Pieces go to their roots together:
 * `root_of_piece` for each of them takes five times as long.
 */
const PARTS = statement<PartRow>('parts of transactions', { part: 'int4', ...COLUMNS })

async function select(
  db: Db,
  rows: readonly TransactionRow[],
  known: ReadonlyMap<string, unknown>,
): Promise<readonly PartRow[]> {
  const before = rows.filter(
    (row) => row.prev_trans_lt > 0n && !known.has(messageKey(row.account_id, row.prev_trans_lt)),
  )
  const pieces = [...new Set(rows.map((row) => row.piece))]
  const accounts = new Set(rows.map((row) => row.account_id))
  return PARTS.rows(
    db,
    sql`
    ${KEEP_PLAN} with recursive found as materialized (${messagesOf(rows)}
    ), ids as (
      select unnest(${[...accounts]}::int8[]) as id
      union select account_id from found union select destination_id from found
    ), steps(given, piece, ancestor) as (
      select p.piece, p.piece, (select a.ancestor from trace_pieces a where a.piece = p.piece)
      from unnest(${pieces}::int8[]) as p(piece)
      union all
      select s.given, s.ancestor, (select a.ancestor from trace_pieces a where a.piece = s.ancestor)
      from steps s where s.ancestor is not null
    )
    select ${OF_MESSAGE} from found f left join codes c on c.code_hash = f.init_code_hash
    union all select ${OF_STATE} from ${predecessorsOf(before)}
    union all select ${OF_TRACE} from steps p cross join lateral (
        select * from traces r where r.piece = p.piece limit 1
      ) r where p.ancestor is null
    union all select ${OF_ACCOUNT} from ${BOOK_TABLES}`,
  )
}

function messagesOf(rows: readonly TransactionRow[]): RawBuilder<unknown> {
  const keys = messageRanges(rows)
  return sql`
      select ${MESSAGE_COLUMNS}
      from unnest(${keys.accounts}::int8[], ${keys.from}::int8[], ${keys.to}::int8[])
        as k(account_id, from_lt, to_lt)
      cross join lateral (
        select * from messages x where x.account_id = k.account_id and x.lt between k.from_lt and k.to_lt
          and ${openedWithin('x.lt', rangeOf([...keys.from, ...keys.to]))} offset 0
      ) m`
}

/** The previous transactions of the accounts, as `t`. */
function predecessorsOf(rows: readonly TransactionRow[]): RawBuilder<unknown> {
  const accounts = rows.map((row) => row.account_id)
  const lts = rows.map((row) => row.prev_trans_lt)
  return sql`unnest(${accounts}::int8[], ${lts}::int8[]) as k(account_id, lt)
      cross join lateral (${withKey('transactions', 'k', lts)}) t`
}

/**
 * In and out messages are ranges of the same key: (sender, lt] and (sender, lt). A message that is both
 * within the page is read once.
 */
function messageRanges(transactions: readonly TransactionRow[]) {
  const accounts: bigint[] = []
  const from: bigint[] = []
  const to: bigint[] = []
  const sent = new Set<string>()
  for (const t of transactions) {
    if (t.out_msg_count === 0) continue
    accounts.push(t.account_id)
    from.push(t.lt + 1n)
    to.push(t.lt + BigInt(t.out_msg_count))
    for (let i = 1n; i <= t.out_msg_count; i++) sent.add(messageKey(t.account_id, t.lt + i))
  }
  for (const t of transactions) {
    if (t.in_msg_lt === null) continue
    const account = t.in_msg_account_id ?? t.account_id
    if (sent.has(messageKey(account, t.in_msg_lt))) continue
    accounts.push(account)
    from.push(t.in_msg_lt)
    to.push(t.in_msg_lt)
  }
  return { accounts, from, to }
}
