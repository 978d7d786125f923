import type { AccountId, Lt, Nanotons } from '@shardwalk/model'
import type pg from 'pg'
import { greatest, least } from '../rows/lt.ts'
import { type CopyReader, copyOut, int8Array } from './copy-out.ts'
import type { TransactionRow } from './transaction-rows.ts'

/** What the classifier reads of a message; the columns are those of the table. */
export interface MessageRow {
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

/** Messages by their key; see docs/storage.md, "Message keys". */
export class Messages {
  private readonly byAccount = new Map<AccountId, Map<Lt, MessageRow>>()
  readonly all: MessageRow[] = []

  add(row: MessageRow): void {
    this.all.push(row)
    const own = this.byAccount.get(row.account_id)
    if (own) own.set(row.lt, row)
    else this.byAccount.set(row.account_id, new Map([[row.lt, row]]))
  }

  received(by: TransactionRow): MessageRow | undefined {
    return by.in_msg_lt === null ? undefined : this.find(by.in_msg_account_id ?? by.account_id, by.in_msg_lt)
  }

  sent(by: TransactionRow): MessageRow[] {
    return Array.from({ length: by.out_msg_count }, (_, index) =>
      this.find(by.account_id, by.lt + 1n + BigInt(index)),
    ).filter((message) => message !== undefined)
  }

  private find(account: AccountId, lt: Lt): MessageRow | undefined {
    return this.byAccount.get(account)?.get(lt)
  }
}

/**
 * Loads the messages that the transactions sent and those that the roots received; every other received
 * message was sent by one of the transactions.
 */
export async function loadMessages(
  client: pg.ClientBase,
  transactions: readonly TransactionRow[],
): Promise<Messages> {
  const ranges = rangesOf(transactions)
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

interface MessageRange {
  readonly account: AccountId
  /** Of lt, both ends included. */
  readonly from: Lt
  readonly to: Lt
}

function rangesOf(transactions: readonly TransactionRow[]): readonly MessageRange[] {
  const ranges: MessageRange[] = []
  for (const row of transactions) {
    const { account_id: account, lt } = row
    const { out_msg_count: sent, in_msg_account_id: sender, in_msg_lt: receivedLt } = row
    if (sent > 0) ranges.push({ account, from: lt + 1n, to: lt + BigInt(sent) })
    const isRoot = sender === null || row.hash.equals(row.trace_id)
    if (receivedLt !== null && isRoot)
      ranges.push({ account: sender ?? account, from: receivedLt, to: receivedLt })
  }
  return ranges
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
