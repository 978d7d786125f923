import type { StateRow } from '@shardwalk/api-schema'
import { type Db, withWholeInitStates } from '@shardwalk/db'
import { sql } from 'kysely'
import { MESSAGE_COLUMNS, type MessageRow, messageKey } from './message-rows.ts'
import { KEEP_PLAN } from './sql.ts'
import type { TransactionRow } from './transaction-rows.ts'

/** What belongs to the transactions of a page beside their own rows. */
export interface TransactionParts {
  inMsg(row: TransactionRow): MessageRow | undefined
  /** In index order. */
  outMsgs(row: TransactionRow): readonly MessageRow[]
  /** State after the account's previous transaction, if that is indexed. */
  before(row: TransactionRow): StateRow | undefined
  /** Normalised hash of the external message that began the trace, when both are known. */
  traceExternalHash(row: TransactionRow): Buffer | undefined
}

/** Messages, states before and traces of a whole page: three statements, side by side. */
export async function loadParts(db: Db, rows: readonly TransactionRow[]): Promise<TransactionParts> {
  const [messages, states, externals] = await Promise.all([
    loadMessages(db, rows),
    loadStatesBefore(db, rows),
    loadTraceExternals(db, rows),
  ])
  return {
    inMsg: (row) =>
      row.in_msg_lt === null
        ? undefined
        : messages.get(messageKey(row.in_msg_account_id ?? row.account_id, row.in_msg_lt)),
    outMsgs: (row) => {
      const found: MessageRow[] = []
      for (let i = 1n; i <= BigInt(row.out_msg_count); i++) {
        const message = messages.get(messageKey(row.account_id, row.lt + i))
        if (message) found.push(message)
      }
      return found
    },
    before: (row) => states.get(messageKey(row.account_id, row.prev_trans_lt)),
    traceExternalHash: (row) => (row.trace_id ? externals.get(row.trace_id.toString('latin1')) : undefined),
  }
}

/**
 * In and out messages are ranges of one key: (sender, lt] and (sender, lt). A message that is both, within one page, is read once.
 * Index: messages primary key (account_id, lt).
 */
async function loadMessages(db: Db, transactions: readonly TransactionRow[]): Promise<ReadonlyMap<string, MessageRow>> {
  const accounts: bigint[] = []
  const from: bigint[] = []
  const to: bigint[] = []
  const sent = new Set<string>()
  for (const t of transactions) {
    if (t.out_msg_count === 0) continue
    accounts.push(t.account_id)
    from.push(t.lt + 1n)
    to.push(t.lt + BigInt(t.out_msg_count))
    for (let i = 1n; i <= BigInt(t.out_msg_count); i++) sent.add(messageKey(t.account_id, t.lt + i))
  }
  for (const t of transactions) {
    if (t.in_msg_lt === null) continue
    const account = t.in_msg_account_id ?? t.account_id
    if (sent.has(messageKey(account, t.in_msg_lt))) continue
    accounts.push(account)
    from.push(t.in_msg_lt)
    to.push(t.in_msg_lt)
  }
  if (accounts.length === 0) return new Map()
  const { rows } = await sql<MessageRow>`
    ${KEEP_PLAN} select ${MESSAGE_COLUMNS}
    from unnest(${accounts}::int8[], ${from}::int8[], ${to}::int8[]) as k(account_id, from_lt, to_lt)
    join messages m on m.account_id = k.account_id and m.lt between k.from_lt and k.to_lt`.execute(db)
  const whole = await withWholeInitStates(db, rows)
  return new Map(whole.map((row) => [messageKey(row.account_id, row.lt), row]))
}

/** Index: transactions primary key. Rows of the page itself are not read again. */
async function loadStatesBefore(db: Db, rows: readonly TransactionRow[]): Promise<ReadonlyMap<string, StateRow>> {
  const states = new Map<string, StateRow>(rows.map((row) => [messageKey(row.account_id, row.lt), row]))
  const missing = rows.filter(
    (row) => row.prev_trans_lt > 0n && !states.has(messageKey(row.account_id, row.prev_trans_lt)),
  )
  if (missing.length === 0) return states
  const found = await sql<StateRow & { account_id: bigint; lt: bigint }>`
    ${KEEP_PLAN} select t.account_id, t.lt, t.balance_after, t.code_hash_after, t.data_hash_after, t.frozen_hash_after,
      t.extra_currencies_after, t.end_status
    from unnest(${missing.map((row) => row.account_id)}::int8[], ${missing.map((row) => row.prev_trans_lt)}::int8[])
      as k(account_id, lt)
    join transactions t on t.account_id = k.account_id and t.lt = k.lt`.execute(db)
  for (const row of found.rows) states.set(messageKey(row.account_id, row.lt), row)
  return states
}

/** Index: primary key of traces. */
async function loadTraceExternals(db: Db, rows: readonly TransactionRow[]): Promise<ReadonlyMap<string, Buffer>> {
  const traces = new Map(rows.flatMap(({ trace_id: id }) => (id ? [[id.toString('latin1'), id]] : [])))
  if (traces.size === 0) return new Map()
  const found = await sql<{ trace_id: Buffer; hash: Buffer }>`
    ${KEEP_PLAN} select trace_id, coalesce(external_hash_norm, external_hash) as hash from traces
    where trace_id = any(${[...traces.values()]}::bytea[]) and external_hash is not null`.execute(db)
  return new Map(found.rows.map((row) => [row.trace_id.toString('latin1'), row.hash]))
}
