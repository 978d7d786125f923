import type { Lt } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type { DatabaseHandle } from '../database.ts'
import { type ArchivedPartition, endOfArchive, readArchive } from '../queries/archived-partitions.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import { listCompleteRanges } from '../watch/index.ts'
import { oneAtATime } from '../writing/one-at-a-time.ts'
import { localRanges } from './attach.ts'
import { ArchiveRefused } from './errors.ts'
import { moveBack } from './move-back.ts'
import { moveOut } from './move-out.ts'
import type { Moved, OnStep } from './moved.ts'
import { joinServer, prepareArchive } from './server.ts'

type Handle = Pick<DatabaseHandle, 'db' | 'pool'>

interface Progress {
  /** Called after each partition. */
  readonly onDone?: (moved: Moved) => void
  readonly onStep?: OnStep
}

/**
 * Moves the partitions whose rows all belong to masterchain blocks of the range to the server of the URL,
 * oldest first, while they are read. What is archived are always the oldest: the range begins with the first
 * block that is still here. Undefined: another process moves partitions.
 */
export const archiveRange = (
  { db, pool }: Handle,
  { range, url }: { readonly range: SeqnoRange; readonly url: string },
  { onDone = () => {}, onStep }: Progress = {},
): Promise<readonly Moved[] | undefined> =>
  oneAtATime(pool, 'archive', async (client) => {
    await assertMovable({ db, pool }, range)
    const before = await readArchive(pool)
    const returning = before.find(({ state }) => state === 'returning' || state === 'returned')
    if (returning)
      throw new ArchiveRefused(
        'partitions are on their way back; finish that first: "shardwalk archive --back"',
      )
    await prepareArchive(pool)
    const server = await joinServer(pool, url)
    const moved: Moved[] = []
    const end = await ltAfter({ db, pool }, range)
    const unfinished = before.filter(({ state }) => state !== 'archived')
    const wanted = (await localRanges(client, endOfArchive(before))).filter(({ to }) => to <= end)
    const ends = new Set(unfinished.map(({ from }) => from))
    for (const one of [...unfinished, ...wanted.filter(({ from }) => !ends.has(from))]) {
      const done = await moveOut(pool, { from: one.from, to: one.to, server }, onStep)
      moved.push(done)
      onDone(done)
    }
    return moved
  })

/**
 * Brings back the archived partitions that have rows of the range, newest first, so that those left are the
 * oldest. Undefined: another process moves partitions.
 */
export const bringBack = (
  { db, pool }: Handle,
  range: SeqnoRange,
  { onDone = () => {}, onStep }: Progress = {},
): Promise<readonly Moved[] | undefined> =>
  oneAtATime(pool, 'archive', async () => {
    const begin = await ltOf({ db, pool }, range.from)
    const all = await readArchive(pool)
    const moved: Moved[] = []
    for (const one of all.filter(({ to }) => to > begin).reverse()) {
      const done = await moveBack(pool, one, onStep)
      moved.push(done)
      onDone(done)
    }
    return moved
  })

/** Archived partitions by first lt, those included that are being moved. */
export const listArchive = ({ pool }: Handle): Promise<readonly ArchivedPartition[]> => readArchive(pool)

/** Traces examined this often wait for states that may never be known; they are archived as they are. */
const MAX_EXAMINATIONS = 10

/** Throws `ArchiveRefused` unless the rows of the range are complete and nothing changes them any more. */
async function assertMovable({ db, pool }: Handle, range: SeqnoRange): Promise<void> {
  const complete = await listCompleteRanges(db)
  const holding = complete.find(({ from, to }) => from <= range.from && to >= range.to)
  if (!holding)
    throw new ArchiveRefused(
      `masterchain blocks ${range.from} to ${range.to} are not all indexed; run "shardwalk backfill ` +
        `${range.from} ${range.to}" first`,
    )
  const end = await ltAfter({ db, pool }, range)
  const begin = await ltOf({ db, pool }, range.from)
  const { first, ...pending } = await readObstacles(pool, range, end)
  if (first !== null && begin > 0n)
    throw new ArchiveRefused(`the oldest are moved first: blocks from ${first} on are still here`)
  assertSettled(pending)
}

interface Obstacles {
  /** The oldest block that is not archived. */
  readonly first: number | null
  /** Extra currencies of transactions are still being asked for. */
  readonly hidden: boolean
  /** Traces are still to be kept or forgotten. */
  readonly undecided: boolean
  /** The block from which on `RETENTION` keeps rows. */
  readonly retained: number | null
}

async function readObstacles(pool: Handle['pool'], range: SeqnoRange, end: Lt): Promise<Obstacles> {
  const { rows } = await pool.query<Obstacles>(
    `select (select min(b.seqno) from blocks b where ${ofMasterchain('b')} and b.seqno < $1
         and b.batch_end_lt >= coalesce((
           select max(to_lt) from archived_partitions where state between 1 and 3), 0)
       ) as first,
       exists (select from hidden_currencies where lt < $2) as hidden,
       exists (select from watch_pass) or exists (
         select from undecided_traces u join traces r using (piece)
         where r.start_lt < $2 and u.looks < ${MAX_EXAMINATIONS}) as undecided,
       (select retained_from from ingest_status) as retained`,
    [range.from, end],
  )
  return rows[0]!
}

/** Throws `ArchiveRefused` if rows of the range may still change. */
function assertSettled({ hidden, undecided, retained }: Omit<Obstacles, 'first'>): void {
  if (hidden)
    throw new ArchiveRefused(
      'extra currencies of transactions in the range are still being asked for; wait until ' +
        '"shardwalk status" shows that all contracts are examined',
    )
  if (undecided)
    throw new ArchiveRefused(
      'whether traces of the range are kept (WATCH) is still being decided; wait until "shardwalk status" ' +
        'shows that none waits',
    )
  if (retained !== null)
    throw new ArchiveRefused(
      'RETENTION drops the oldest partitions; unset it, and restart ingest, to keep them',
    )
}

/** Least lt of the first block after the range, which has to be indexed. */
async function ltAfter(handle: Handle, { to }: SeqnoRange): Promise<Lt> {
  return ltOf(handle, to + 1)
}

async function ltOf({ pool }: Handle, seqno: number): Promise<Lt> {
  const { rows } = await pool.query<{ lt: Lt | null }>(
    // Shards lag behind each other by a few blocks.
    `select min(batch_start_lt) as lt from (select batch_start_lt from blocks
     where ${ofMasterchain()} and seqno >= $1 order by seqno limit 500) b
     where exists (select from blocks where ${ofMasterchain()} and seqno = $1)`,
    [seqno],
  )
  const lt = rows[0]?.lt
  if (lt === null || lt === undefined)
    throw new ArchiveRefused(
      `masterchain block ${seqno} is not indexed; only what lies before the head is moved`,
    )
  return lt
}
