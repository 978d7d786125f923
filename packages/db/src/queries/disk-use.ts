import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { findHeadRange, findMasterchainTime } from './progress.ts'

/** The disk of `DATA_DIR`. */
export interface DiskUse {
  readonly free_bytes: number | null
  /** At the head; more while history is indexed. */
  readonly bytes_per_day: number | null
  /** Null if the database is elsewhere. */
  readonly days_left: number | null
}

/** Free space of `dataDir`, and how long it lasts if the embedded database is in it. */
export async function readDiskUse(db: Db, dataDir: string | undefined): Promise<DiskUse> {
  const info = dataDir === undefined ? undefined : await statfs(dataDir).catch(() => undefined)
  const free = info && info.bavail * info.bsize
  const growth = await readGrowth(db)
  const growsHere = dataDir !== undefined && existsSync(join(dataDir, 'postgres'))
  return {
    free_bytes: free ?? null,
    bytes_per_day: growth ?? null,
    days_left: growsHere && free !== undefined && growth ? free / growth : null,
  }
}

/** The newest blocks tell how many transactions there are in a day. Seconds. */
const WINDOW_SECONDS = 3_600
const DAY_SECONDS = 86_400

/**
 * Bytes that the database grows by in a day at the head: the transactions of the newest hour, scaled, times
 * what a transaction takes with all that belongs to it. Undefined while there is too little to tell. Row
 * counts are the planner's, sizes are asked of the file system: not often. Index: blocks_gen_utime.
 */
async function readGrowth(db: Db): Promise<number | undefined> {
  const head = await findHeadRange(db)
  const newest = await findMasterchainTime(db, head?.to)
  if (newest === undefined) return undefined
  // The time is a value: of one that is looked up the planner expects a third of all blocks to be newer.
  const { rows } = await sql<{ bytes: number; stored: number; recent: number; seconds: number }>`
    select pg_database_size(current_database())::float8 as bytes, sum(tx_count)::float8 as recent,
      (max(gen_utime) - min(gen_utime))::float8 as seconds,
      (select sum(greatest(c.reltuples, 0)) from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'transactions'::regclass)::float8 as stored
    from blocks where gen_utime > ${newest - WINDOW_SECONDS}`.execute(db)
  const { bytes, stored, recent, seconds } = rows[0]!
  if (!stored || !seconds || seconds <= 0) return undefined
  return (bytes / stored) * recent * (DAY_SECONDS / seconds)
}
