import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import type { Dataset } from './define-dataset.ts'

/** Masterchain blocks, both included. */
export interface SeqnoRange {
  readonly from: number
  readonly to: number
}

/** A row as PostgreSQL's text. */
export type TextRow = readonly (string | null)[]

/** Blocks per transaction: a long one would keep vacuum from removing rows. */
const BLOCKS_PER_TRANSACTION = 1_000
const FETCH_ROWS = 5_000

/** Rows of the range, or of the snapshot, in the order of the dataset; a few thousand at a time. */
export async function* readDataset(
  pool: pg.Pool,
  { dataset, columns, range }: { dataset: Dataset; columns: readonly string[]; range?: SeqnoRange },
): AsyncGenerator<readonly TextRow[]> {
  const all = { ...dataset.columns, ...dataset.bocs }
  const select = columns.map((name) => `${all[name]![1]} as ${name}`).join(', ')
  if (!range || !dataset.position) {
    yield* fetchAll(pool, `select ${select} ${dataset.from} order by ${dataset.order}`)
    return
  }
  const { seqno, lt } = dataset.position
  for (let from = range.from; from <= range.to; from += BLOCKS_PER_TRANSACTION) {
    const to = Math.min(range.to, from + BLOCKS_PER_TRANSACTION - 1)
    const bounds = await ltBounds(pool, { from, to })
    if (!bounds) continue
    yield* fetchAll(
      pool,
      `select ${select} ${dataset.from} where ${seqno} between ${from} and ${to}
       and ${lt} between ${bounds.start} and ${bounds.end} order by ${dataset.order}`,
    )
  }
}

/** Undefined if none of the blocks is indexed. */
async function ltBounds(
  pool: pg.Pool,
  { from, to }: SeqnoRange,
): Promise<{ readonly start: bigint; readonly end: bigint } | undefined> {
  const { rows } = await pool.query<{ start: string | null; end: string | null }>(
    `select min(batch_start_lt)::text as start, max(batch_end_lt)::text as end from blocks
     where workchain = -1 and shard = -9223372036854775808 and seqno between $1 and $2`,
    [from, to],
  )
  const { start, end } = rows[0]!
  return start === null || end === null ? undefined : { start: BigInt(start), end: BigInt(end) }
}

const AS_TEXT = { getTypeParser: () => (text: unknown) => text }

async function* fetchAll(pool: pg.Pool, query: string): AsyncGenerator<readonly TextRow[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(
      `begin read only; set local timezone = 'UTC'; declare exported no scroll cursor for ${query}`,
    )
    for (;;) {
      const config = { text: `fetch ${FETCH_ROWS} from exported`, rowMode: 'array', types: AS_TEXT }
      const { rows } = await client.query(config as pg.QueryArrayConfig)
      if (rows.length === 0) break
      yield rows as TextRow[]
    }
  } finally {
    await client.query('rollback').catch((error: Error) => {
      broken = error
    })
    client.release(broken)
  }
}

/** A day (UTC) and the masterchain blocks with a time in it. */
export interface DayRange extends SeqnoRange {
  /** `2026-11-20`. */
  readonly day: string
  /** The first and the last block of the day are in the range. */
  readonly complete: boolean
}

/** The days of a range of indexed blocks. */
export async function daysOf(db: Db, range: SeqnoRange): Promise<readonly DayRange[]> {
  const { rows } = await sql<{ day: string; from: number; to: number; complete: boolean }>`
    select day, "from", "to",
      exists (select from blocks b where b.workchain = -1 and b.seqno = "to" + 1
          and ((to_timestamp(b.gen_utime) at time zone 'UTC')::date)::text > day)
        and ("from" = 1 or exists (select from blocks b where b.workchain = -1 and b.seqno = "from" - 1
          and ((to_timestamp(b.gen_utime) at time zone 'UTC')::date)::text < day)) as complete
    from (
      select ((to_timestamp(gen_utime) at time zone 'UTC')::date)::text as day,
        min(seqno) as "from", max(seqno) as "to"
      from blocks where workchain = -1 and seqno between ${range.from} and ${range.to} group by 1
    ) d order by day
  `.execute(db)
  return rows
}

/** The first masterchain block at or after a time; undefined if none is indexed. */
export async function firstSeqnoFrom(db: Db, utime: number): Promise<number | undefined> {
  const { rows } = await sql<{ seqno: number | null }>`
    select min(seqno) as seqno from blocks where workchain = -1 and gen_utime >= ${utime}
  `.execute(db)
  return rows[0]?.seqno ?? undefined
}

/** Root hashes of masterchain blocks, base64: they tie files to the chain. */
export async function rootHashes(db: Db, seqnos: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ seqno: number; hash: string }>`
    select seqno, encode(root_hash, 'base64') as hash from blocks
    where workchain = -1 and seqno = any (${seqnos}::int[])
  `.execute(db)
  return new Map(rows.map(({ seqno, hash }) => [seqno, hash]))
}
