import type { Address, Trace } from '@shardwalk/actions'
import { type AccountId, TRANSACTION_KIND } from '@shardwalk/model'
import { unpackDescription } from '@shardwalk/tlb'
import type pg from 'pg'
import type { AddressBook } from '../facts/address-book.ts'
import { assembleTrace, type TransactionOutcome } from './assemble-trace.ts'
import { loadMessages, type MessageRow } from './message-rows.ts'
import type { TraceRowRead } from './trace-rows.ts'
import { loadTransactions, type TransactionRow } from './transaction-rows.ts'

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
  const found = {
    outcomeOf,
    inMessage: (row: TransactionRow) => messages.received(row),
    outMessages: (row: TransactionRow) => messages.sent(row),
  }
  return rows.map((row) => {
    const own = byTrace.get(row.trace_id.toString('latin1')) ?? []
    return {
      row,
      trace: { ...assembleTrace({ row, transactions: own, ...found, addressOf }), nodes: row.nodes },
      accountIds: new Map(own.map(({ account_id: id }) => [addressOf(id), id])),
    }
  })
}

function outcomeOf({ kind, aborted, exit_code, description }: TransactionRow): TransactionOutcome {
  const compute = description && unpackDescription(description).computePhase
  return {
    kind: TRANSACTION_KIND[kind]!,
    aborted: aborted === true,
    exitCode: exit_code,
    skipReason: compute?.skipped ? compute.reason : null,
  }
}

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
