import { type Lt, MASTERCHAIN, type McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'
import { PARTITIONED_TABLES, readPartitions } from '../sink/partitions.ts'

/** Where the tables are cut: an end of partitions. */
export interface Cut {
  /** Partitions that end here or before are dropped. */
  readonly lt: Lt
  /** First masterchain block that remains: no transaction of it is before `lt`. */
  readonly seqno: McBlockSeqno
  /** Masterchain blocks before `seqno` that have transactions after `lt` as well. */
  readonly across: readonly McBlockSeqno[]
}

/** Masterchain blocks around a cut that are looked at: shards lag behind each other by a few. */
const AROUND = 500

/**
 * The last end of partitions before which there is no row of `first` and the blocks after it; undefined when
 * nothing is before it. Index: primary key, blocks_start_lt.
 */
export async function findCut(client: pg.ClientBase, first: McBlockSeqno): Promise<Cut | undefined> {
  const { rows } = await client.query<{ least: Lt | null }>(
    `select min(batch_start_lt) as least from (
       select batch_start_lt from blocks where workchain = $1 and seqno >= $2 order by seqno limit $3) b`,
    [MASTERCHAIN, first, AROUND],
  )
  const least = rows[0]!.least
  if (least === null) return undefined
  let lt: Lt | undefined
  for (const table of PARTITIONED_TABLES)
    for (const { to } of await readPartitions(client, table))
      if (to <= least && (lt === undefined || to > lt)) lt = to
  if (lt === undefined) return undefined
  const before = await around(client, lt, 'before')
  const after = await around(client, lt, 'after')
  const gone = [...before, ...after.filter((block) => block.start < lt)]
  if (gone.length === 0) return undefined
  const seqno = Math.max(...gone.map((block) => block.seqno)) + 1
  const across = [...before, ...after].filter((block) => block.seqno < seqno && block.end >= lt)
  return { lt, seqno, across: across.map((block) => block.seqno) }
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
     where workchain = $1 and start_lt ${side === 'before' ? '<' : '>='} $2
     order by start_lt ${side === 'before' ? 'desc' : 'asc'} limit $3`,
    [MASTERCHAIN, lt, AROUND],
  )
  return rows
}
