import type { McBlockSeqno } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import { countQuarantine, type QuarantineCounts } from './quarantine.ts'

/** Indexed ranges of masterchain seqnos, ascending. */
export async function listIndexedRanges(db: Db): Promise<readonly SeqnoRange[]> {
  return db
    .selectFrom('indexed_ranges')
    .select(['from_seqno as from', 'to_seqno as to'])
    .orderBy('from_seqno')
    .execute()
}

/** The parts of `within` that are not indexed, ascending. */
export async function findGaps(db: Db, within: SeqnoRange): Promise<readonly SeqnoRange[]> {
  const gaps: SeqnoRange[] = []
  let next = within.from
  for (const { from, to } of await listIndexedRanges(db)) {
    if (from > within.to) break
    if (from > next) gaps.push({ from: next, to: from - 1 })
    next = Math.max(next, to + 1)
  }
  if (next <= within.to) gaps.push({ from: next, to: within.to })
  return gaps
}

/** The contiguous range that ends at the newest indexed block; undefined when nothing is indexed. */
export async function findHeadRange(db: Db): Promise<SeqnoRange | undefined> {
  return db
    .selectFrom('indexed_ranges')
    .select(['from_seqno as from', 'to_seqno as to'])
    .orderBy('from_seqno', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** What is indexed, for the status page and `shardwalk status`. */
export interface DatabaseStatus {
  readonly ranges: readonly SeqnoRange[]
  /** gen_utime of the newest indexed masterchain block, Unix seconds. */
  readonly headUtime: number | undefined
  readonly quarantined: QuarantineCounts
  /** Row counts as estimated by the planner; exact counts would read the tables. */
  readonly estimatedRows: {
    readonly transactions: number
    readonly messages: number
    readonly accounts: number
  }
  /** Size of the whole database, indexes included. */
  readonly sizeBytes: bigint
  readonly network: { readonly rootHash: Buffer; readonly globalId: number | null } | undefined
}

/** Progress, counts and size of the database, for `shardwalk status`. */
export async function readStatus(db: Db): Promise<DatabaseStatus> {
  const ranges = await listIndexedRanges(db)
  const head = await findMasterchainTime(db, ranges.at(-1)?.to)
  const network = await db.selectFrom('network').select(['root_hash', 'global_id']).executeTakeFirst()
  const size = await sql<{ size: bigint }>`select pg_database_size(current_database()) as size`.execute(db)
  return {
    ranges,
    headUtime: head,
    quarantined: await countQuarantine(db),
    estimatedRows: await estimateRows(db),
    sizeBytes: size.rows[0]?.size ?? 0n,
    network: network && { rootHash: network.root_hash, globalId: network.global_id },
  }
}

/** gen_utime of a masterchain block, Unix seconds; undefined if it is not indexed. Index: primary key. */
export async function findMasterchainTime(
  db: Db,
  seqno: McBlockSeqno | undefined,
): Promise<number | undefined> {
  if (seqno === undefined) return undefined
  const row = await db
    .selectFrom('blocks')
    .select('gen_utime')
    .where(sql<boolean>`${sql.raw(ofMasterchain())}`)
    .where('seqno', '=', seqno)
    .executeTakeFirst()
  return row?.gen_utime
}

async function estimateRows(db: Db): Promise<DatabaseStatus['estimatedRows']> {
  const { rows } = await sql<{ name: string; rows: number }>`
    select coalesce(i.inhparent, c.oid)::regclass::text as name, sum(greatest(c.reltuples, 0))::float8 as rows
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where coalesce(i.inhparent, c.oid) in ('transactions'::regclass, 'messages'::regclass,
      'accounts'::regclass)
      and c.relkind = 'r' group by 1`.execute(db)
  const of = (name: string) => rows.find((row) => row.name === name)?.rows ?? 0
  return { transactions: of('transactions'), messages: of('messages'), accounts: of('accounts') }
}
