import type { McBlockSeqno } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type pg from 'pg'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import { queryKept } from './kept-plans.ts'

/** Which masterchain blocks are in the tables. */
export interface Progress {
  readonly isIndexed: (seqno: McBlockSeqno) => boolean
  /** True if more is watched now than when the block was indexed. */
  readonly isPartial: (seqno: McBlockSeqno) => boolean
  /** First block of which retention deletes nothing; undefined: it has deleted nothing. */
  readonly keptFrom: McBlockSeqno | undefined
}

/** Of these masterchain blocks. A chain that is filled in from everywhere has many ranges. */
export async function readProgress(
  client: pg.ClientBase,
  seqnos: readonly McBlockSeqno[],
): Promise<Progress> {
  const { rows } = await queryKept<{
    readonly seqno: McBlockSeqno
    readonly isIndexed: boolean
    readonly isPartial: boolean
    readonly keptFrom: McBlockSeqno | null
  }>(
    client,
    `select seqno,
       coalesce((select to_seqno >= seqno from indexed_ranges where from_seqno <= seqno
         order by from_seqno desc limit 1), false) as "isIndexed",
       exists (select from partial_ranges where from_seqno <= seqno and to_seqno >= seqno) as "isPartial",
       (select kept_from from ingest_status) as "keptFrom"
     from unnest($1::int[]) seqno`,
    [seqnos],
  )
  const where = (is: 'isIndexed' | 'isPartial') =>
    new Set(rows.filter((row) => row[is]).map(({ seqno }) => seqno))
  const [indexed, partial] = [where('isIndexed'), where('isPartial')]
  return {
    isIndexed: (seqno) => indexed.has(seqno),
    isPartial: (seqno) => partial.has(seqno),
    keptFrom: rows[0]?.keptFrom ?? undefined,
  }
}

/** Whether a later block than this one is indexed. */
export async function isLaterIndexed(client: pg.ClientBase, seqno: McBlockSeqno): Promise<boolean> {
  const { rowCount } = await queryKept(
    client,
    `select from (select to_seqno from indexed_ranges order by from_seqno desc limit 1) newest
     where to_seqno > $1`,
    [seqno],
  )
  return rowCount === 1
}

/**
 * Adds ranges and joins adjacent ones. The caller takes the lock `ranges` right before, and commits right
 * after. Two statements for any number of ranges: blocks that are indexed in no order have one each. False:
 * retention has cut some of them away since the caller began, which then has to roll back.
 */
export async function addRanges(client: pg.ClientBase, ranges: readonly SeqnoRange[]): Promise<boolean> {
  const { rows: joined } = await queryKept<SeqnoRange>(client, TAKE_ADJACENT, columnsOf(ranges))
  const { rowCount } = await queryKept(
    client,
    `insert into indexed_ranges (from_seqno, to_seqno) select * from unnest($1::int[], $2::int[])
     where not exists (select from ingest_status where kept_from > $3)`,
    [...columnsOf(joinRanges([...ranges, ...joined])), Math.min(...ranges.map(({ from }) => from))],
  )
  return (rowCount ?? 0) > 0
}

/**
 * Removes the stored ranges that the ranges $1, $2 overlap or continue. Of those that begin earlier, only the
 * last one can reach that far.
 */
const TAKE_ADJACENT = `
  delete from indexed_ranges where from_seqno = any (array(
    select found.from_seqno from unnest($1::int[], $2::int[]) n(from_seqno, to_seqno)
    cross join lateral (
      (select from_seqno from indexed_ranges
       where from_seqno between n.from_seqno - 1 and n.to_seqno + 1)
      union all
      (select from_seqno from
         (select * from indexed_ranges where from_seqno < n.from_seqno - 1 order by from_seqno desc limit 1) i
       where to_seqno >= n.from_seqno - 1)
    ) found))
  returning from_seqno as from, to_seqno as to`

const columnsOf = (ranges: readonly SeqnoRange[]) => [
  ranges.map(({ from }) => from),
  ranges.map(({ to }) => to),
]

/** Removes everything before `seqno`. The caller takes the lock `ranges` right before. */
export async function cutRanges(client: pg.ClientBase, seqno: McBlockSeqno): Promise<void> {
  await client.query(
    `with gone as (delete from indexed_ranges where from_seqno < $1 returning to_seqno)
     insert into indexed_ranges (from_seqno, to_seqno) select $1, to_seqno from gone where to_seqno >= $1`,
    [seqno],
  )
  await cutPartial(client, [{ from: 1, to: seqno - 1 }])
}

/** Removes what was indexed again. The caller takes the lock `ranges` right before. */
export async function cutPartial(client: pg.ClientBase, ranges: readonly SeqnoRange[]): Promise<void> {
  for (const { from, to } of ranges)
    await client.query(
      `with gone as (
         delete from partial_ranges where from_seqno <= $2 and to_seqno >= $1
         returning subject, from_seqno, to_seqno)
       insert into partial_ranges (subject, from_seqno, to_seqno)
       select subject, from_seqno, $1::int - 1 from gone where from_seqno < $1
       union all select subject, $2::int + 1, to_seqno from gone where to_seqno > $2`,
      [from, to],
    )
}

/** Transactions of the masterchain blocks $1. */
export const IN_SEQNOS = `mc_block_seqno = any ($1::int[])
  and lt between (select min(batch_start_lt) from blocks where ${ofMasterchain()} and seqno = any ($1::int[]))
             and (select max(batch_end_lt) from blocks where ${ofMasterchain()} and seqno = any ($1::int[]))`

/** Ranges of consecutive numbers. */
export const toRanges = (seqnos: readonly McBlockSeqno[]): SeqnoRange[] =>
  joinRanges(seqnos.map((seqno) => ({ from: seqno, to: seqno })))

/** In ascending order, those that overlap or are adjacent made one. */
function joinRanges(ranges: readonly SeqnoRange[]): SeqnoRange[] {
  const joined: { from: McBlockSeqno; to: McBlockSeqno }[] = []
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}
