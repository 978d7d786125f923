import type { Lt, McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import { PARTITIONED_TABLES, readPartitions } from '../writing/partitions.ts'

/** Where the tables are cut: an end of partitions. */
export interface Cut {
  /** Partitions that end here or before are dropped. */
  readonly lt: Lt
  /** First masterchain block that remains: no transaction of it is before `lt`. */
  readonly seqno: McBlockSeqno
  /** Masterchain blocks before `seqno` that have transactions after `lt` as well. */
  readonly across: readonly McBlockSeqno[]
}

/**
 * Masterchain blocks around a cut that are examined: shards lag behind each other by a few. Where a cut is to
 * be made, shards that lagged more are searched for.
 */
const AROUND = 500

/**
 * The last end of partitions before which there is no row of `first` and the blocks after it; undefined when
 * nothing is before it. Index: primary key, blocks_start_lt.
 */
export async function findCut(client: pg.ClientBase, first: McBlockSeqno): Promise<Cut | undefined> {
  const { rows } = await client.query<{ least: Lt | null }>(
    `select min(batch_start_lt) as least from (
       select batch_start_lt from blocks where ${ofMasterchain()} and seqno >= $1
       order by seqno limit $2) b`,
    [first, AROUND],
  )
  const least = rows[0]!.least
  if (least === null) return undefined
  const ends: Lt[] = []
  for (const table of PARTITIONED_TABLES)
    for (const { to } of await readPartitions(client, table)) ends.push(to)
  return cutBefore(client, ends, least)
}

/** The last cut at or before the lt. */
async function cutBefore(client: pg.ClientBase, ends: readonly Lt[], least: Lt): Promise<Cut | undefined> {
  const lt = ends.filter((end) => end <= least).reduce<Lt | undefined>(later, undefined)
  if (lt === undefined) return undefined
  const before = await around(client, lt, 'before')
  const after = await around(client, lt, 'after')
  const gone = [...before, ...after.filter((block) => block.start < lt)]
  if (gone.length === 0) return undefined
  const seqno = Math.max(...gone.map((block) => block.seqno)) + 1
  const late = await leastLtFrom(client, seqno)
  if (late !== undefined && late < lt) return cutBefore(client, ends, late)
  // Missing blocks may come while the cut is made, with rows after the last block before them.
  const last = gone.find((block) => block.seqno === seqno - 1)!.start
  if (lt > last && (await isMissing(client, seqno))) return cutBefore(client, ends, last)
  const across = [...before, ...after].filter((block) => block.seqno < seqno && block.end >= lt)
  return { lt, seqno, across: across.map((block) => block.seqno) }
}

/** Whether the first block that would remain may still be indexed. Index: primary key. */
async function isMissing(client: pg.ClientBase, seqno: McBlockSeqno): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from blocks where ${ofMasterchain()}
       and seqno = greatest($1, (select kept_from from ingest_status))`,
    [seqno],
  )
  return rowCount === 0
}

const later = (one: Lt | undefined, other: Lt): Lt => (one !== undefined && one > other ? one : other)

/** Blocks that one statement examines. */
const PAGE = 100_000

/**
 * The least lt in the blocks of a masterchain block and all later ones. It reads past the blocks that are
 * older, so it is for when these are deleted anyway. Index: blocks_start_lt.
 */
export async function leastLtFrom(
  client: pg.ClientBase | pg.Pool,
  seqno: McBlockSeqno,
): Promise<Lt | undefined> {
  let from: Lt | null = 0n
  while (from !== null) {
    const page: BlockPage = await lookFrom(client, seqno, from)
    if (page.found !== null) return page.found
    from = page.next
  }
  return undefined
}

interface BlockPage {
  readonly found: Lt | null
  readonly next: Lt | null
}

async function lookFrom(client: pg.ClientBase | pg.Pool, seqno: McBlockSeqno, from: Lt): Promise<BlockPage> {
  const { rows } = await client.query<BlockPage>(
    `select min(start_lt) filter (where mc_block_seqno >= $1 and tx_count > 0) as found,
       case when count(*) = ${PAGE} then max(start_lt) end as next
     from (select start_lt, mc_block_seqno, tx_count from blocks where start_lt >= $2
       order by start_lt limit ${PAGE}) b`,
    [seqno, from],
  )
  return rows[0]!
}

interface Extent {
  readonly seqno: McBlockSeqno
  readonly start: Lt
  readonly end: Lt
}

/** Masterchain blocks that begin next to the lt. */
async function around(client: pg.ClientBase, lt: Lt, side: 'before' | 'after'): Promise<readonly Extent[]> {
  const { rows } = await client.query<Extent>(
    `select seqno, batch_start_lt as start, batch_end_lt as end from blocks
     where ${ofMasterchain()} and start_lt ${side === 'before' ? '<' : '>='} $1
     order by start_lt ${side === 'before' ? 'desc' : 'asc'} limit $2`,
    [lt, AROUND],
  )
  return rows
}
