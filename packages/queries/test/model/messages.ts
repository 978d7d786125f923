import { EMPTY_CELL, parseBoc } from '@shardwalk/cells'
import type { Row } from '@shardwalk/db'
import { later } from '../../src/idiom/index.ts'
import type { MessageFilter } from '../../src/index.ts'
import { includes } from './lists.ts'
import type { Transaction } from './transactions.ts'

export type Message = Row<'messages'> & {
  readonly created_lt: bigint | null
  readonly receiver: Transaction | undefined
  readonly sender: Transaction | undefined
}

/** Messages with what a chain says of them. */
export function messagesWith(
  messages: readonly Row<'messages'>[],
  transactions: readonly Transaction[],
  blocks: readonly Row<'blocks'>[],
): Message[] {
  const starts = blocks.filter((block) => block.workchain === -1).map((block) => block.start_lt)
  const receivers = new Map(
    transactions.map((tx) => [keyOf(tx.in_msg_account_id ?? tx.account_id, tx.in_msg_lt), tx]),
  )
  const senders = new Map(
    transactions.flatMap((tx) =>
      Array.from({ length: tx.out_msg_count }, (_, n) => {
        const key = keyOf(tx.account_id, tx.lt + BigInt(n + 1))
        return [key, tx] as const
      }),
    ),
  )
  return messages.map((message) => ({
    ...message,
    receiver: receivers.get(keyOf(message.account_id, message.lt)),
    sender: senders.get(keyOf(message.account_id, message.lt)),
    created_lt:
      message.kind === 1
        ? null
        : (message.flags & 8) === 0
          ? message.lt
          : starts.filter((lt) => lt < message.lt).reduce(later),
  }))
}

const keyOf = (account: bigint | null, lt: bigint | null) => `${account} ${lt}`

export const sentByNone = ({ flags, kind }: Message) => (flags & 8) !== 0 && kind !== 1
export const sourceOf = (message: Message) =>
  message.kind === 1 ? null : sentByNone(message) ? ('unknown' as const) : message.account_id

export function matches(message: Message, filter: MessageFilter): boolean {
  const { hashes, source, destination, opcode } = filter
  const isSystem = sentByNone(message)
  const hasSource = sourceOf(message) === source && source !== 'unknown'
  return (
    (!hashes || includes(hashes, message.hash) || includes(hashes, message.hash_norm ?? message.hash)) &&
    (source === undefined || hasSource || (source !== null && filter.sourceIsSystem === true && isSystem)) &&
    (destination === undefined || message.destination_id === destination) &&
    (opcode === undefined || message.opcode === opcode) &&
    (!filter.bodyHash || hasBody(message, filter.bodyHash))
  )
}

export const bodyHash = (body: Buffer | null): Buffer => {
  if (body === null) return EMPTY_CELL.hash()
  const bag = parseBoc(body, { allowLevel: true })
  return bag.hash(bag.root)
}
/** The stored part of the hash first: only few bodies are read. */
export const hasBody = ({ body, body_hash8: stored }: Row<'messages'>, hash: Buffer): boolean =>
  stored === hash.readBigInt64BE(0) && bodyHash(body).equals(hash)

/** Of a message from outside only what the transaction with the greatest hash received. */
export function once(rows: readonly Message[]): readonly Message[] {
  const byHash = new Map<string, Message>()
  for (const row of rows) {
    const known = byHash.get(row.hash.toString('hex'))
    if (!known || row.receiver!.hash.compare(known.receiver!.hash) > 0)
      byHash.set(row.hash.toString('hex'), row)
  }
  return [...byHash.values()]
}

/** Null is the greatest. */
export const createdOf = (row: Message) => row.created_lt ?? 2n ** 63n
