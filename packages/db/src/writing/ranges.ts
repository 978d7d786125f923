import type { McBlockSeqno } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type pg from 'pg'

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
  const { rows } = await client.query<{
    readonly seqno: McBlockSeqno
    readonly isIndexed: boolean
    readonly isPartial: boolean
    readonly keptFrom: McBlockSeqno | null
  }>(
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
  const { rowCount } = await client.query(
    `select from (select to_seqno from indexed_ranges order by from_seqno desc limit 1) newest
     where to_seqno > $1`,
    [seqno],
  )
  return rowCount === 1
}

/**
 * Adds ranges and joins adjacent ones. The caller takes the lock `ranges` right before, and commits right
 * after. Of the ranges that begin earlier, only the last one can reach a new one.
 */
export async function addRanges(client: pg.ClientBase, ranges: readonly SeqnoRange[]): Promise<void> {
  for (const { from, to } of ranges) {
    const joined = await client.query<{ from: McBlockSeqno; to: McBlockSeqno }>(
      `delete from indexed_ranges where from_seqno between $1::int - 1 and $2::int + 1
         or to_seqno >= $1::int - 1
           and from_seqno = (select max(from_seqno) from indexed_ranges where from_seqno < $1::int - 1)
       returning from_seqno as from, to_seqno as to`,
      [from, to],
    )
    const whole = joined.rows.reduce(
      (all, row) => ({ from: Math.min(all.from, row.from), to: Math.max(all.to, row.to) }),
      { from, to },
    )
    await client.query('insert into indexed_ranges (from_seqno, to_seqno) values ($1, $2)', [
      whole.from,
      whole.to,
    ])
  }
}

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
  and lt between (select min(batch_start_lt) from blocks where workchain = -1 and seqno = any ($1::int[]))
             and (select max(batch_end_lt) from blocks where workchain = -1 and seqno = any ($1::int[]))`

/** Ranges of consecutive numbers. */
export function toRanges(seqnos: readonly McBlockSeqno[]): SeqnoRange[] {
  const ranges: { from: McBlockSeqno; to: McBlockSeqno }[] = []
  for (const seqno of [...seqnos].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && seqno <= last.to + 1) last.to = seqno
    else ranges.push({ from: seqno, to: seqno })
  }
  return ranges
}
