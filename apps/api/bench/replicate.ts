import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'

/**
 * Lets the recorded chain happen again and again: the same accounts, later times and logical times, other hashes. Written by the
 * server itself, so a million transactions take a minute or two.
 */
export async function replicate(db: Db, copies: number): Promise<void> {
  const { rows } = await sql<{ lt: bigint; seconds: number; seqnos: number }>`
    select max(end_lt) as lt, max(gen_utime) - min(gen_utime) + 3 as seconds, max(seqno) as seqnos from blocks`.execute(
    db,
  )
  const { lt, seconds, seqnos } = rows[0]!
  const step = (lt / 1_000_000n + 2n) * 1_000_000n
  for (let copy = 1; copy <= copies; copy++) {
    const by = { lt: step * BigInt(copy), seconds: seconds * copy, seqnos: seqnos * copy, copy }
    for (const table of ['blocks', 'shard_state', 'transactions', 'messages']) await copyTable(db, table, by)
  }
  await sql`update indexed_ranges set to_seqno = to_seqno + ${seqnos * copies}`.execute(db)
  await sql`vacuum analyze`.execute(db)
}

interface Shift {
  readonly lt: bigint
  readonly seconds: number
  readonly seqnos: number
  readonly copy: number
}

const LT = new Set(['lt', 'prev_trans_lt', 'in_msg_lt', 'start_lt', 'end_lt', 'batch_start_lt', 'batch_end_lt'])
const SECONDS = new Set(['now', 'gen_utime', 'created_at', 'batch_max_utime'])
const SEQNOS = new Set(['seqno', 'mc_seqno', 'mc_block_seqno', 'block_seqno', 'prev_seqno', 'master_ref_seqno'])
const HASHES = new Set(['hash', 'prev_trans_hash', 'root_hash', 'file_hash', 'hash_norm'])

async function copyTable(db: Db, table: string, by: Shift): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns where table_name = ${table} order by ordinal_position`.execute(
    db,
  )
  const names = rows.map((row) => row.name)
  const values = names.map((name) => {
    const column = sql.ref(name)
    if (LT.has(name)) return sql`${column} + ${sql.lit(by.lt)}::int8`
    if (SECONDS.has(name)) return sql`${column} + ${sql.lit(by.seconds)}`
    if (SEQNOS.has(name)) return sql`${column} + ${sql.lit(by.seqnos)}`
    if (HASHES.has(name)) return sql`sha256(${column} || int4send(${sql.lit(by.copy)}))`
    return column
  })
  const first =
    table === 'shard_state'
      ? sql`mc_seqno <= ${by.seqnos / by.copy}`
      : table === 'blocks'
        ? sql`mc_block_seqno <= ${by.seqnos / by.copy}`
        : sql`lt < ${by.lt / BigInt(by.copy)}`
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(values)} from ${sql.table(table)} where ${first}`.execute(db)
}
