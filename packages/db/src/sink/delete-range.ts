import { type Lt, MAX_OUT_MESSAGES, type McBlockSeqno } from '@shardwalk/model'
import { type SeqnoRange, seqnosOf } from '@shardwalk/pipeline'
import { TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import type { PieceId } from '@shardwalk/traces'
import type pg from 'pg'
import { rebuildTraces } from '../traces/rebuild.ts'
import { lock } from '../writing/locks.ts'
import { IN_SEQNOS } from '../writing/ranges.ts'

/**
 * Removes everything that the masterchain blocks of the range and their shard blocks put into the tables,
 * inside the caller's transaction, as if they had never been indexed.
 */
export const deleteRange = (
  client: pg.ClientBase,
  range: SeqnoRange,
  options: DeletionOptions = {},
): Promise<void> => deleteSeqnos(client, seqnosOf(range), options)

/** As `deleteRange`, for single masterchain blocks. */
export async function deleteSeqnos(
  client: pg.ClientBase,
  seqnos: readonly McBlockSeqno[],
  options: DeletionOptions = {},
): Promise<void> {
  // Before any row, because writers have this lock when they come to rows that are deleted here.
  await lock(client, 'traces')
  await deleteTransactions(client, IN_SEQNOS, [seqnos], options)
  for (const [table, column] of OF_SEQNO)
    await client.query(`delete from ${table} where ${column} = any ($1::int[])`, [seqnos])
}

const OF_SEQNO = [
  ['blocks', 'mc_block_seqno'],
  ['quarantine', 'mc_seqno'],
] as const

export interface DeletionOptions {
  /** The states that the transactions left behind remain, because they describe the present. */
  readonly keepsStates?: boolean
}

/**
 * Removes transactions with their messages and what was derived from them. The caller has the lock `traces`;
 * once in a transaction of the database.
 */
export async function deleteTransactions(
  client: pg.ClientBase,
  condition: string,
  values: readonly unknown[],
  { keepsStates = false }: DeletionOptions = {},
): Promise<void> {
  await client.query(
    `create temporary table gone on commit drop as
     select account_id, lt, hash, out_msg_count, in_msg_account_id, in_msg_lt, piece from transactions
     where ${condition}`,
    [...values],
  )
  const bounds = await boundsOfGone(client)
  if (!bounds) return
  await client.query(
    `delete from transactions t using gone g where t.account_id = g.account_id and t.lt = g.lt
       and t.lt between ${bounds.from} and ${bounds.to}`,
  )
  // Before messages are deleted, because rebuilding reads them.
  const { rows } = await client.query<{ piece: PieceId }>('select distinct piece from gone')
  await rebuildTraces(
    client,
    rows.map(({ piece }) => piece),
  )
  for (const statement of deleteMessages(bounds)) await client.query(statement)
  if (!keepsStates) for (const statement of DELETE_STATES) await client.query(statement)
}

/**
 * Deletes the token events of what was deleted in this transaction of the database. Not for what is written
 * again, whose events are derived again.
 */
export async function deleteTokenEvents(client: pg.ClientBase): Promise<void> {
  for (const table of TOKEN_EVENT_TABLES)
    await client.query(
      `delete from ${table} e using gone g where e.account_id = g.account_id and e.lt = g.lt`,
    )
}

/** Of lt, in which the rows to delete are: the planner leaves other partitions out. */
interface Bounds {
  readonly from: Lt
  /** Of the last message that they sent. */
  readonly to: Lt
  readonly firstReceived: Lt
  readonly lastReceived: Lt
}

async function boundsOfGone(client: pg.ClientBase): Promise<Bounds | undefined> {
  const { rows } = await client.query<{ [key in keyof Bounds]: Lt | null }>(
    `select min(lt) as from, max(lt + out_msg_count) as to,
       coalesce(min(in_msg_lt), min(lt)) as "firstReceived",
       coalesce(max(in_msg_lt), max(lt)) as "lastReceived"
     from gone`,
  )
  return rows[0]!.from === null ? undefined : (rows[0] as Bounds)
}

const deleteMessages = ({ from, to, firstReceived, lastReceived }: Bounds) => [
  // Messages sent by them, unless a transaction outside the range received the message.
  `delete from messages m using gone g
   where m.account_id = g.account_id and m.lt > g.lt and m.lt <= g.lt + g.out_msg_count
     and m.lt between ${from} and ${to} and not exists (
     select from transactions t where t.in_msg_lt = m.lt and t.in_msg_account_id = m.account_id
       and t.lt > ${from})`,
  // Received by them, and sent by no transaction.
  `delete from messages m using gone g
   where m.account_id = g.account_id and m.lt = g.lt and g.in_msg_account_id is null
     and g.in_msg_lt is not null and m.lt between ${from} and ${to}`,
  // Received by them, sent by a transaction that is not indexed.
  `delete from messages m using gone g
   where m.account_id = g.in_msg_account_id and m.lt = g.in_msg_lt
     and m.lt between ${firstReceived} and ${lastReceived} and not exists (
     select from transactions t
     where t.account_id = m.account_id and t.lt < m.lt and t.lt >= m.lt - t.out_msg_count
       and t.lt >= ${firstReceived - BigInt(MAX_OUT_MESSAGES)})`,
]

const DELETE_STATES = [
  'delete from latest_account_states s using gone g where s.account_id = g.account_id and s.lt = g.lt',
  'delete from hidden_currencies h using gone g where h.account_id = g.account_id and h.lt = g.lt',
  'delete from account_data d using gone g where d.account_id = g.account_id and d.lt = g.lt',
]
