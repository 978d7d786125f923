import { MASTERCHAIN } from '@shardwalk/model'
import { mergeRanges, type SeqnoRange } from '@shardwalk/pipeline'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Number of entries of each kind in quarantine. */
export interface QuarantineCounts {
  readonly blocks: number
  readonly transactions: number
  readonly states: number
  /** Masterchain blocks of which everything is stored but what depends on the global version. */
  readonly versions: number
}

/** `range`: masterchain seqnos; default all. */
export async function countQuarantine(db: Db, range?: SeqnoRange): Promise<QuarantineCounts> {
  const where = range ? sql`where mc_seqno between ${range.from} and ${range.to}` : sql``
  const { rows } = await sql<QuarantineCounts>`
    select count(*) filter (where kind = 'block')::int as blocks,
      count(*) filter (where kind = 'transaction')::int as transactions,
      count(*) filter (where kind = 'state')::int as states,
      count(*) filter (where kind = 'version')::int as versions from quarantine ${where}`.execute(db)
  return rows[0]!
}

export const totalQuarantine = ({ blocks, transactions, states, versions }: QuarantineCounts): number =>
  blocks + transactions + states + versions

/** Undefined when there is nothing in quarantine. */
export function describeQuarantine(counts: QuarantineCounts): string | undefined {
  if (totalQuarantine(counts) === 0) return undefined
  const { blocks, transactions, states, versions } = counts
  const unknown = versions === 0 ? '' : `, global versions of ${versions} masterchain blocks`
  return `${blocks} blocks, ${transactions} transactions, ${states} account states${unknown}`
}

/**
 * Masterchain seqnos with entries in quarantine, as ranges. `version`: only entries that this version has not
 * tried.
 */
export async function listQuarantined(
  db: Db,
  { version }: { readonly version?: string } = {},
): Promise<readonly SeqnoRange[]> {
  const rows = await db
    .selectFrom('quarantine')
    .select('mc_seqno')
    .distinct()
    .$if(version !== undefined, (query) => query.where('tried_with', '<>', version!))
    .orderBy('mc_seqno')
    .execute()
  return mergeRanges(rows.map((row) => ({ from: row.mc_seqno, to: row.mc_seqno })))
}

/** Masterchain blocks that are themselves in quarantine, as ranges. */
export async function listUndecodableMasterchain(db: Db): Promise<readonly SeqnoRange[]> {
  const rows = await db
    .selectFrom('quarantine')
    .select('seqno')
    .where('kind', '=', 'block')
    .where('workchain', '=', MASTERCHAIN)
    .orderBy('seqno')
    .execute()
  return mergeRanges(rows.map(({ seqno }) => ({ from: seqno, to: seqno })))
}

/** Entries in quarantine of one kind that have the same reason. */
export interface QuarantineReason {
  readonly kind: string
  /** At most 200 characters. */
  readonly reason: string
  readonly count: number
  /** Masterchain blocks. */
  readonly first_seqno: number
  readonly last_seqno: number
}

/** The most frequent ones first. */
export async function listQuarantineReasons(db: Db, limit: number): Promise<readonly QuarantineReason[]> {
  const { rows } = await sql<QuarantineReason>`
    select kind, left(error, 200) as reason, count(*)::int as count, min(mc_seqno) as first_seqno,
      max(mc_seqno) as last_seqno
    from quarantine group by 1, 2 order by count(*) desc, 4, 1, 2 limit ${limit}`.execute(db)
  return rows
}
