import { sql } from 'kysely'
import { type Condition, type LtRange, type TimeRange, timeConditions } from '../idiom/index.ts'
import { beforeMessage, receiverOf, wasSentBy } from './message-ends.ts'
import type { MessageKey } from './message-rows.ts'
import type { MessageList, Side } from './message-scan.ts'

/** An account in a filter: an id, `null` for "has none", or an address that was never seen. */
export type AccountFilter = bigint | null | 'unknown'

/** Messages that match all that is given. `bodyHash`: of the body's cell, 32 bytes. */
export interface MessageFilter {
  readonly hashes?: readonly Buffer[] | undefined
  readonly bodyHash?: Buffer | undefined
  readonly source?: AccountFilter | undefined
  /** The filter names the masterchain zero address, the source of system messages. */
  readonly sourceIsSystem?: boolean | undefined
  readonly destination?: AccountFilter | undefined
  /** Signed 32-bit. */
  readonly opcode?: number | undefined
}

/**
 * Conditions on the table aliased `m`; undefined when nothing can match. Only the first 8 bytes of a body
 * hash are stored, so the full hash must be compared with the rows (`hasBody`). `keys`: `keysByHash` of
 * the hashes, which have no index of their own.
 */
export function messageConditions(
  filter: MessageFilter,
  keys?: readonly MessageKey[],
): Condition[] | undefined {
  const { hashes, bodyHash, source, destination, opcode } = filter
  if (destination === 'unknown' || (source === 'unknown' && !filter.sourceIsSystem)) return undefined
  const conditions: Condition[] = []
  if (keys) {
    const [accounts, lts] = [keys.map((key) => key.account_id), keys.map((key) => key.lt)]
    conditions.push(sql`m.account_id = any(${accounts}::int8[])`, sql`m.lt = any(${lts}::int8[])`)
  }
  if (hashes)
    conditions.push(sql`(m.hash = any(${hashes}::bytea[]) or m.hash_norm = any(${hashes}::bytea[]))`)
  if (bodyHash) conditions.push(sql`m.body_hash8 = ${bodyHash.readBigInt64BE(0)}`)
  if (source === null) conditions.push(sql`m.kind = 1`)
  else if (source !== undefined) conditions.push(sentBy(source, filter.sourceIsSystem === true))
  if (destination === null) conditions.push(sql`m.destination_id is null`)
  else if (destination !== undefined) conditions.push(sql`m.destination_id = ${destination}`)
  if (opcode !== undefined) conditions.push(sql`m.opcode = ${opcode}`)
  return conditions
}

/**
 * The lists whose intersection the filter selects, each ordered by lt. Empty when a single index has the
 * rows, and when there may be system messages, whose created_lt differs from lt. Index of each: messages
 * primary key, (destination_id, lt), (opcode, lt).
 */
export function crossedLists(filter: MessageFilter): MessageList[] {
  const { hashes, bodyHash, source, destination, opcode } = filter
  const lists: MessageList[] = []
  if (typeof source === 'bigint')
    lists.push({ by: 'source', value: source, condition: sql`m.account_id = ${source}` })
  if (typeof destination === 'bigint')
    lists.push({ by: 'destination', value: destination, condition: sql`m.destination_id = ${destination}` })
  if (opcode !== undefined)
    lists.push({ by: 'opcode', value: BigInt(opcode), condition: sql`m.opcode = ${opcode}` })
  return !hashes && excludesSystem(filter) && lists.length + (bodyHash ? 1 : 0) > 1 ? lists : []
}

/** No system message can match, so that created_lt equals lt. They have empty bodies and hence no opcode. */
export const excludesSystem = ({ source, sourceIsSystem, opcode }: MessageFilter): boolean =>
  (typeof source === 'bigint' && !sourceIsSystem) || opcode !== undefined

/** An account that all messages of the filter have as sender or receiver; undefined: not known of any. */
export const accountOf = ({ source, sourceIsSystem, destination }: MessageFilter): bigint | undefined => {
  if (typeof source === 'bigint' && !sourceIsSystem) return source
  return typeof destination === 'bigint' ? destination : undefined
}

/** Not external-in. */
export const CREATED: Condition = sql`m.kind <> 1`

/**
 * The same where the index of an account is to be used. In a small partition the planner expects to find its
 * first messages as soon among all messages, whose index is of this condition.
 */
export const CREATED_UNINDEXED: Condition = sql`m.kind + 0 <> 1`

/** Messages without a sender are stored under their receiver; they must not count as sent by it. */
function sentBy(source: bigint | 'unknown', system: boolean): Condition {
  if (source === 'unknown') return sql`m.kind <> 1 and m.flags & 8 <> 0`
  const own = sql`m.account_id = ${source} and ${CREATED_UNINDEXED} and m.flags & 8 = 0`
  return system ? sql`((m.kind <> 1 and m.flags & 8 <> 0) or (${own}))` : own
}

/**
 * Only messages that a transaction received, or sent. `range`: of the lt of all messages. Index: transactions
 * (in_msg_lt), or primary key.
 */
export const atEnd = (side: Side, range: LtRange): Condition =>
  side === 'in'
    ? sql`(m.kind = 1 or m.flags & 8 <> 0 or (m.destination_id is not null
        and exists (${receiverOf('m', '1', range)} offset 0)))`
    : sql`(m.kind <> 1 and m.flags & 8 = 0 and exists (
        select 1 from (${beforeMessage('m', 't.lt, t.out_msg_count', range)}) s
        where ${wasSentBy('s', 'm')}))`

/** On the table aliased `m`. Messages from outside have no such time and match no bound. */
export const createdBetween = (time: TimeRange): Condition[] => timeConditions(sql`m.created_at`, time)

/**
 * True if the choice of the index does not depend on values: the rows are all messages, or those of a sender,
 * receiver or opcode, each of which has an index in the order of lists.
 */
export function namesOneList({ hashes, bodyHash, source, destination, opcode }: MessageFilter): boolean {
  const named = [source, destination, opcode].filter((value) => value !== undefined && value !== null)
  return !hashes && !bodyHash && named.length <= 1
}
