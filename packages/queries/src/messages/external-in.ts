import { type Db, SHORT_ID_BYTES } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import {
  ALL_LT,
  all,
  beyond,
  beyondOrAt,
  type Condition,
  direction,
  KEEP_PLAN,
  statement,
} from '../idiom/index.ts'
import { knownPartitions } from '../partitions/index.ts'
import { begunBy } from './by-hash.ts'
import { messagesByKeys } from './by-keys.ts'
import type { MessageKey, MessageRow } from './message-rows.ts'
import type { MessageSlice } from './message-scan.ts'

/** The conditions are joined by AND. */
export interface ExternalInFilter {
  /** Hashes or normalised hashes. */
  readonly hashes?: readonly Buffer[] | undefined
  /** The receiver. */
  readonly account?: bigint | undefined
  /** Signed 32-bit. */
  readonly opcode?: number | undefined
  /** Only the first 8 bytes are compared. */
  readonly bodyHash?: Buffer | undefined
}

/** Raw, both: the plan is kept unless it depends on values. Index: same as `alongTraces`. */
const KEYS = statement<MessageKey>('keys of external-in messages along traces', {
  account_id: 'int8',
  lt: 'int8',
})
const COUNT = statement<{ readonly count: bigint }>('number of them, up to a limit', { count: 'int8' })

/**
 * External-in messages ordered by `hash <sort>`, one row per hash: if a message was received several times,
 * the row of the transaction with the greatest hash.
 */
export async function readExternalIn(
  db: Db,
  filter: ExternalInFilter,
  slice: MessageSlice,
): Promise<MessageRow[]> {
  const read = async (isStored: Condition) => {
    const traces = alongTraces(filter, slice, isStored)
    const keys = await KEYS.rows(
      db,
      sql`${planOf(filter)} ${traces} limit ${slice.limit} offset ${slice.offset}`,
    )
    return { keys, rows: await messagesByKeys(db, keys) }
  }
  const { keys, rows } = await read(await isInPartition(db))
  // Partitions may have been dropped since they were known.
  return rows.length === keys.length ? rows : (await read(hasMessage(sql`true`))).rows
}

/** Their number behind the position, counted up to the given limit. */
export async function countExternalIn(
  db: Db,
  filter: ExternalInFilter,
  slice: Pick<MessageSlice, 'after' | 'sort'>,
  atMost: number,
): Promise<number> {
  const traces = alongTraces(filter, slice, hasMessage(sql`true`))
  const [row] = await COUNT.rows(
    db,
    sql`${planOf(filter)} select count(*) as count from (${traces} limit ${atMost}) x`,
  )
  return Number(row!.count)
}

/**
 * Partitions are dropped before the traces of messages in them. To look for each message would open all of
 * them, so that is done only before the oldest one known, where others may have been made since.
 */
async function isInPartition(db: Db): Promise<Condition> {
  const first = (await knownPartitions(db)).starts[0] ?? ALL_LT.from
  return sql`(r.start_lt >= ${first}::int8 or ${hasMessage(sql`m.lt < ${first}::int8`)})`
}

const hasMessage = (where: Condition): Condition => sql`exists (
  select from messages m
  where m.account_id = r.external_account_id and m.lt = r.start_lt and ${where} offset 0)`

/** Which of several indexes leads to fewer rows depends on values. */
const planOf = (filter: ExternalInFilter): RawBuilder<unknown> =>
  filter.hashes || listsOf(filter).length <= 1 ? KEEP_PLAN : sql``

const START = sql.raw(`substr(r.external_hash, 1, ${SHORT_ID_BYTES})`)

/** External-in messages with one value; an index of traces has each of these in the order of hashes. */
interface List {
  readonly column: RawBuilder<unknown>
  readonly value: RawBuilder<unknown>
}

function listsOf({ account, opcode, bodyHash }: ExternalInFilter): readonly List[] {
  const lists: List[] = []
  const add = (column: string, value: RawBuilder<unknown>) =>
    lists.push({ column: sql.raw(`r.${column}`), value })
  if (account !== undefined) add('external_account_id', sql`${account}::int8`)
  if (opcode !== undefined) add('external_opcode', sql`${opcode}::int4`)
  if (bodyHash) add('external_body_hash8', sql`${bodyHash.readBigInt64BE(0)}::int8`)
  return lists
}

type Position = Pick<MessageSlice, 'after' | 'sort'>

/**
 * Keys of messages in the order of their hashes: each external-in message began a trace, and traces have no
 * partitions. `isStored`: whether the message of a trace `r` is. Index: traces (bytes of external_hash),
 * perhaps after external_account_id, external_opcode or external_body_hash8, or the same as `begunBy`. Of the
 * conditions that a column is not null, each is that of an index.
 */
function alongTraces(filter: ExternalInFilter, position: Position, isStored: Condition): RawBuilder<unknown> {
  const { hashes } = filter
  const lists = listsOf(filter)
  const only = hashes || lists.length > 1 ? undefined : lists[0]
  const dir = direction(position.sort)
  const order = [...(only ? [only.column] : []), START, sql`r.external_hash`]
  const conditions = only
    ? inOneList(only, position)
    : [...lists.map(({ column, value }) => sql`${column} = ${value}`), ...behind(position)]
  return sql`
    select r.external_account_id as account_id, r.start_lt as lt
    from ${hashes ? begunByOneOf(hashes) : sql`traces`} r
    where r.external_account_id is not null and r.external_hash is not null and ${all(conditions)}
      and ${isStored}
      and not exists (
        select from traces o where substr(o.external_hash, 1, ${sql.lit(SHORT_ID_BYTES)}) = ${START}
          and o.external_hash = r.external_hash and o.trace_id > r.trace_id offset 0)
    order by ${sql.join(order.map((column) => sql`${column} ${dir}`))}`
}

const begunByOneOf = (hashes: readonly Buffer[]): RawBuilder<unknown> => sql`(
  select distinct x.* from unnest(${hashes}::bytea[]) w(hash) cross join lateral (${begunBy('w.hash')}) x)`

const behind = ({ after, sort }: Position): readonly Condition[] =>
  after
    ? [
        sql`${START} ${beyondOrAt(sort)} ${after.hash.subarray(0, SHORT_ID_BYTES)}::bytea`,
        sql`r.external_hash ${beyond(sort)} ${after.hash}::bytea`,
      ]
    : []

/**
 * Equality as two bounds: the planner then expects many rows and reads them in the order of the index. Of a
 * value that it does not know it would expect few, and read and sort all that there are.
 */
function inOneList({ column, value }: List, position: Position): readonly Condition[] {
  const { after, sort } = position
  const start = after
    ? sql`(${column}, ${START}) ${beyondOrAt(sort)}
        (${value}, ${after.hash.subarray(0, SHORT_ID_BYTES)}::bytea)`
    : sql`${column} ${beyondOrAt(sort)} any(array[${value}])`
  const end = sql`${column} ${beyondOrAt(sort === 'asc' ? 'desc' : 'asc')} any(array[${value}])`
  return [start, end, ...behind(position)]
}
