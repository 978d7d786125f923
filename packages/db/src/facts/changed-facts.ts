import { rowToJson } from '@shardwalk/actions'
import type { AccountId, Lt } from '@shardwalk/model'
import type { Row } from '@shardwalk/tables'
import type pg from 'pg'
import { endOfArchive, readArchive } from '../queries/archived-partitions.ts'
import { isArchiveAway } from '../writing/archived-rows.ts'
import { lock } from '../writing/locks.ts'
import { inTransaction } from '../writing/transaction.ts'
import { COLLISION_REACH } from './addresses.ts'
import { readFactRows } from './fact-rows.ts'

/** A snapshot of the facts that classification reads of some accounts, as text by account. */
export type FactsSeen = ReadonlyMap<AccountId, string>

/** Must be called before contracts are written, under `lock(client, 'facts')`. */
export async function seeFacts(client: pg.ClientBase, ids: readonly AccountId[]): Promise<FactsSeen> {
  const rows = await readFactRows(client, ids)
  const texts = new Map(rows.map((row) => [row.account_id, rowToJson(row)]))
  return new Map(ids.map((id) => [id, texts.get(id) ?? '']))
}

/**
 * Must be called after contracts are written, in the same transaction. Queues the accounts whose facts
 * changed.
 */
export async function noteChangedFacts(client: pg.ClientBase, before: FactsSeen): Promise<void> {
  const now = await seeFacts(client, [...before.keys()])
  const changed = [...now].filter(([id, text]) => before.get(id) !== text).map(([id]) => id)
  if (changed.length === 0) return
  await client.query(
    `insert into changed_facts (account_id) select unnest($1::bigint[]) order by 1
     on conflict (account_id) do update set below_lt = null, asked_id = null, asked_trace_id = null`,
    [changed],
  )
}

/** Transactions of an account examined in one step; a contract may have millions. */
const PAGE = 5_000

/**
 * Queues the traces of accounts with changed facts, newest first; accounts that have not been started come
 * first. Returns false when there are none, or only those that wait for an archive server that is away. Each
 * call is one short transaction; any number of processes may call it at once.
 */
export function queueTracesOfChangedFacts(pool: pg.Pool, { limit = 50 }: { readonly limit?: number } = {}) {
  return inTransaction(pool, async (client) => {
    // Prevents a deadlock between processes that queue the same traces.
    await lock(client, 'reclassify')
    const { rows } = await client.query<Changed>(
      `select * from changed_facts order by below_lt desc nulls first, account_id limit $1 for update`,
      [limit],
    )
    if (rows.length === 0) return false
    const end = endOfArchive(await readArchive(client))
    const done: AccountId[] = []
    let left = PAGE
    let isAway = false
    let hasMoved = false
    for (const row of rows) {
      // A second attempt would take seconds too.
      if (isAway && isInArchive(row, end)) continue
      const step = await queueUnlessAway(client, row, end)
      isAway ||= step === undefined
      if (step === undefined) continue
      hasMoved = true
      if (step.isDone) done.push(row.account_id)
      left -= step.seen
      if (left <= 0) break
    }
    await client.query('delete from changed_facts where account_id = any($1)', [done])
    return hasMoved
  })
}

/** Its next page is on an archive server; `end`: first lt after what is there. */
const isInArchive = ({ below_lt: belowLt, asked_id: asked }: Changed, end: Lt): boolean =>
  asked === null && belowLt !== null && belowLt <= end

/** Undefined: an archive server that has the page is away, and the account is left as it is. */
async function queueUnlessAway(client: pg.ClientBase, row: Changed, end: Lt): Promise<Step | undefined> {
  if (!isInArchive(row, end)) return queueSomeOf(client, row, end)
  await client.query('savepoint facts')
  try {
    return await queueSomeOf(client, row, 0n)
  } catch (error) {
    if (!isArchiveAway(error)) throw error
    await client.query('rollback to savepoint facts')
  }
}

type Changed = Row<'changed_facts'>

interface Step {
  /** Rows read. */
  readonly seen: number
  readonly isDone: boolean
}

/**
 * A page of the traces of an account from lt `from` on, then of those before it, after all the traces that
 * refer to the account.
 */
async function queueSomeOf(client: pg.ClientBase, row: Changed, from: Lt): Promise<Step> {
  if (row.asked_id === null) {
    const { seen, lastLt } = await queueTracesOf(client, row, from)
    const isMore = seen < PAGE && from > 0n && (await isActiveBefore(client, row.account_id, from))
    const next = seen === PAGE ? lastLt : isMore ? from : null
    if (next !== null) {
      await client.query('update changed_facts set below_lt = $2 where account_id = $1', [
        row.account_id,
        next,
      ])
      return { seen, isDone: false }
    }
  }
  return queueTracesThatAskedFor(client, row)
}

async function isActiveBefore(client: pg.ClientBase, id: AccountId, lt: Lt): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from active_ranges($1::bigint, false) where from_lt < $2 limit 1',
    [id, lt],
  )
  return (rowCount ?? 0) > 0
}

/** Traces of a page of the account's transactions from lt `from` on. */
async function queueTracesOf(
  client: pg.ClientBase,
  { account_id: id, below_lt: belowLt }: Changed,
  from: Lt,
): Promise<{ readonly seen: number; readonly lastLt: Lt | null }> {
  const { rows } = await client.query<{ seen: bigint; last_lt: Lt | null }>(
    `with page as (
       select piece, lt from transactions
       where account_id = $1 and lt >= $3 and lt < coalesce($2::bigint, 9223372036854775807)
       order by lt desc limit ${PAGE}
     ), queued as (
       insert into unclassified_traces (trace_id, end_lt)
       select r.trace_id, r.end_lt from traces r
       where r.piece in (select root_of_piece(piece) from page) and r.state = 0 and r.edges > 0
       order by r.trace_id
       on conflict (trace_id) do nothing
     ) select count(*) as seen, min(lt) as last_lt from page`,
    [id, belowLt, from],
  )
  return { seen: Number(rows[0]!.seen), lastLt: rows[0]!.last_lt }
}

const LEAST_ID = -(2n ** 63n)

/**
 * A page of the traces that refer to the account without touching it. The derived id may belong to a
 * colliding address, but classifying one trace too many does no harm.
 */
async function queueTracesThatAskedFor(client: pg.ClientBase, row: Changed): Promise<Step> {
  const { account_id: id } = row
  const reach = BigInt(COLLISION_REACH)
  const first = id < LEAST_ID + reach ? LEAST_ID : id - reach
  const { rows } = await client.query<Pick<Changed, 'asked_id' | 'asked_trace_id'>>(
    `with page as materialized (
       select account_id, trace_id from asked_facts
       where (account_id, trace_id) > ($1::bigint, $2::bytea) and account_id <= $3
       order by account_id, trace_id limit ${PAGE}
     ), queued as (
       insert into unclassified_traces (trace_id, end_lt)
       select r.trace_id, r.end_lt from traces r
       where r.trace_id in (select trace_id from page) and r.state = 0 and r.edges > 0 order by r.trace_id
       on conflict (trace_id) do nothing
     ) select account_id as asked_id, trace_id as asked_trace_id from page`,
    [row.asked_id ?? first, row.asked_trace_id ?? Buffer.alloc(0), id],
  )
  const last = rows.at(-1)
  if (!last || rows.length < PAGE) return { seen: rows.length, isDone: true }
  await client.query('update changed_facts set asked_id = $2, asked_trace_id = $3 where account_id = $1', [
    id,
    last.asked_id,
    last.asked_trace_id,
  ])
  return { seen: rows.length, isDone: false }
}

/** Notes on which other accounts the traces' actions depend, in the transaction that replaces the actions. */
export async function noteAskedFacts(
  client: pg.ClientBase,
  asked: readonly { readonly traceId: Buffer; readonly accountId: AccountId }[],
): Promise<void> {
  if (asked.length === 0) return
  await client.query(
    `insert into asked_facts (account_id, trace_id) select * from unnest($1::bigint[], $2::bytea[])
      order by 1, 2
     on conflict do nothing`,
    [asked.map(({ accountId }) => accountId), asked.map(({ traceId }) => traceId)],
  )
}
