import { sleep } from '@shardwalk/concurrency'
import type { McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'
import { ArchiveRefused } from '../archive/errors.ts'
import type { DatabaseHandle } from '../database.ts'
import { deleteRange, deleteTokenEvents } from '../sink/delete-range.ts'
import { forgetLinks } from '../trust/linked-ranges.ts'
import { lock } from '../writing/locks.ts'
import { cutRanges } from '../writing/ranges.ts'
import { inTransaction } from '../writing/transaction.ts'
import { deletePages } from './delete-pages.ts'
import { cutTraces, dropPartitions } from './drop-partitions.ts'
import { type Cut, findCut } from './find-cut.ts'
import { firstRetained, type RetentionRule } from './first-retained.ts'

/** What one pass of retention found and removed. */
export interface RetentionPass {
  /** First masterchain block that the rule keeps; undefined: all that are missing are wanted. */
  readonly retainedFrom: McBlockSeqno | undefined
  /** Set if partitions were dropped: first masterchain block that is left. */
  readonly cutAt: McBlockSeqno | undefined
  /** Rows deleted from tables without partitions. */
  readonly deleted: number
}

/**
 * Removes what the rule does not keep, in whole partitions of `transactions` and `messages`; account states,
 * contracts and everything else that describes the present stay. Readers first lose the range, then the rows.
 * May be interrupted anywhere: the next call goes on, also in another process. One process at a time.
 */
export async function enforceRetention(
  { db, pool }: Pick<DatabaseHandle, 'db' | 'pool'>,
  rule: RetentionRule,
  signal: AbortSignal,
): Promise<RetentionPass> {
  const archived = await pool.query('select from archived_partitions limit 1')
  if (archived.rowCount)
    throw new ArchiveRefused(
      'RETENTION drops nothing while partitions are on an archive server; unset it, or bring them back ' +
        'with "shardwalk archive --back" first',
    )
  const first = await firstRetained(db, rule)
  const nothing = { retainedFrom: undefined, cutAt: undefined, deleted: 0 }
  if (first === undefined) {
    await forgetRetention({ db, pool }, signal)
    return nothing
  }
  if (!(await finishAbove({ db, pool }, first, signal))) return nothing
  await pool.query(
    `update ingest_status set retained_from = $1,
       kept_from = case when kept_from <= $1 then kept_from end`,
    [first],
  )
  const cut = await findCutFrom(pool, first)
  if (cut) await applyCut({ db, pool }, cut, signal)
  const before = await readKeptFrom(pool)
  const deleted = before === undefined ? 0 : await deleteBefore(pool, before, signal)
  return { retainedFrom: first, cutAt: cut?.seqno, deleted }
}

/**
 * Not before the cut of an interrupted pass, which has deleted the blocks across it: without them it seems to
 * be earlier.
 */
async function findCutFrom(pool: pg.Pool, first: McBlockSeqno): Promise<Cut | undefined> {
  const cut = await onClient(pool, (client) => findCut(client, first))
  const before = await readKeptFrom(pool)
  return cut && { ...cut, seqno: Math.max(cut.seqno, before ?? 0) }
}

/**
 * Ends retention: after it, all missing blocks may be indexed again. First deletes what an interrupted pass
 * left. False when the signal aborted before that.
 */
export async function forgetRetention(
  { db, pool }: Pick<DatabaseHandle, 'db' | 'pool'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await finishAbove({ db, pool }, 1, signal))) return false
  await pool.query(
    'update ingest_status set retained_from = null, kept_from = null where retained_from is not null',
  )
  return true
}

/**
 * If blocks from `first` on are wanted again: deletes what the last cut was to delete, because their rows
 * would be in the way of new ones. False: the signal aborted first.
 */
async function finishAbove(
  { db, pool }: Pick<DatabaseHandle, 'db' | 'pool'>,
  first: McBlockSeqno,
  signal: AbortSignal,
): Promise<boolean> {
  const before = await readKeptFrom(pool)
  if (before === undefined || before <= first) return true
  const cut = await onClient(pool, (client) => findCut(client, before))
  if (cut) await applyCut({ db, pool }, { ...cut, seqno: before }, signal)
  await deleteBefore(pool, before, signal)
  return !signal.aborted
}

const deleteBefore = (pool: pg.Pool, seqno: McBlockSeqno, signal: AbortSignal): Promise<number> =>
  deletePages(pool, seqno, async () => !signal.aborted && !(await isIndexedBefore(pool, seqno)))

/** Others use the tables between two attempts. Milliseconds. */
const DROP_EVERY_MS = 200

async function applyCut(
  { db, pool }: Pick<DatabaseHandle, 'db' | 'pool'>,
  { seqno, lt, across }: Cut,
  signal: AbortSignal,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lock(client, 'ranges')
    await cutRanges(client, seqno)
    await client.query('update ingest_status set kept_from = $1', [seqno])
  })
  await forgetLinks(db, { from: 1, to: seqno - 1 })
  for (const one of across)
    await inTransaction(pool, async (client) => {
      await deleteRange(client, { from: one, to: one }, { keepsStates: true })
      await deleteTokenEvents(client)
    })
  while (!signal.aborted && (await cutTraces(pool, lt)) > 0);
  while (!signal.aborted && !(await dropPartitions(pool, lt))) await sleep(DROP_EVERY_MS, signal)
}

async function readKeptFrom(pool: pg.Pool): Promise<McBlockSeqno | undefined> {
  const { rows } = await pool.query<{ kept_from: McBlockSeqno | null }>('select kept_from from ingest_status')
  return rows[0]?.kept_from ?? undefined
}

/** A block before it that was indexed in the meantime belongs to the next cut. */
async function isIndexedBefore(pool: pg.Pool, seqno: McBlockSeqno): Promise<boolean> {
  const { rowCount } = await pool.query('select from indexed_ranges where from_seqno < $1 limit 1', [seqno])
  return (rowCount ?? 0) > 0
}

async function onClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}
