import { type BlockId, type McBlockSeqno, masterchainId, sameBlock } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import { sql, type Transaction } from 'kysely'
import type { Db } from '../database.ts'
import type { Database } from '../database-types.ts'
import { LOCK_KEYS } from '../writing/locks.ts'
import { findMasterchainIds } from './trusted-blocks.ts'

/** Stored masterchain blocks whose references to each other were compared. */
export interface LinkedRange extends SeqnoRange {
  /** The predecessor that the first of them refers to. */
  readonly prev: BlockId
}

type DbTransaction = Transaction<Database>

const toLinkedRange = (row: {
  from_seqno: McBlockSeqno
  to_seqno: McBlockSeqno
  prev_root_hash: Buffer
  prev_file_hash: Buffer
}) => ({
  from: row.from_seqno,
  to: row.to_seqno,
  prev: { ...masterchainId(row.from_seqno - 1), rootHash: row.prev_root_hash, fileHash: row.prev_file_hash },
})

/** The range that contains a seqno. */
export async function findLinkedRange(db: Db, seqno: McBlockSeqno): Promise<LinkedRange | undefined> {
  const row = await db
    .selectFrom('linked_ranges')
    .selectAll()
    .where('from_seqno', '<=', seqno)
    .where('to_seqno', '>=', seqno)
    .executeTakeFirst()
  return row && toLinkedRange(row)
}

/**
 * Adds blocks whose references were compared with what is stored, and joins them with their neighbours where
 * the references agree. A disagreement remains, because only a proof can tell which side is wrong.
 */
export async function addLinkedRange(db: Db, range: LinkedRange): Promise<void> {
  await changeLinks(db, async (trx) => {
    // Overlapping ranges were compared with the same stored blocks.
    const overlapping = await takeRanges(trx, range)
    const whole = overlapping.reduce(joined, range)
    const [below] = await takeRanges(trx, { from: whole.from - 1, to: whole.from - 1 })
    const [above] = await takeRanges(trx, { from: whole.to + 1, to: whole.to + 1 })
    const stored = await findMasterchainIds(trx, [whole.from - 1, whole.to])
    const agrees = (prev: BlockId) => {
      const id = stored.get(prev.seqno)
      return id !== undefined && sameBlock(id, prev)
    }
    const pieces: LinkedRange[] =
      below && !agrees(whole.prev) ? [below, whole] : [below ? joined(below, whole) : whole]
    if (above) pieces.push(agrees(above.prev) ? joined(pieces.pop() as LinkedRange, above) : above)
    await insertRanges(trx, pieces)
  })
}

/** Removes comparisons of blocks that are about to be replaced, and that of the block after them. */
export async function forgetLinks(db: Db, { from, to }: SeqnoRange): Promise<void> {
  await changeLinks(db, async (trx) => {
    const cut = await takeRanges(trx, { from, to: to + 1 })
    const stored = await findMasterchainIds(trx, [to + 1])
    const behind = stored.get(to + 1)
    await insertRanges(
      trx,
      cut.flatMap((range) => [
        ...(range.from < from ? [{ ...range, to: from - 1 }] : []),
        ...(range.to > to + 1 && behind ? [{ from: to + 2, to: range.to, prev: behind }] : []),
      ]),
    )
  })
}

const joined = (a: LinkedRange, b: LinkedRange): LinkedRange => ({
  from: Math.min(a.from, b.from),
  to: Math.max(a.to, b.to),
  prev: a.from <= b.from ? a.prev : b.prev,
})

async function changeLinks(db: Db, change: (trx: DbTransaction) => Promise<void>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEYS.links}::int, 0)`.execute(trx)
    await change(trx)
  })
}

/** Removes and returns the ranges that have seqnos in common with the given one. */
async function takeRanges(trx: DbTransaction, { from, to }: SeqnoRange): Promise<LinkedRange[]> {
  const rows = await trx
    .deleteFrom('linked_ranges')
    .where('from_seqno', '<=', to)
    .where('to_seqno', '>=', from)
    .returningAll()
    .execute()
  return rows.map(toLinkedRange)
}

async function insertRanges(trx: DbTransaction, ranges: readonly LinkedRange[]): Promise<void> {
  if (ranges.length === 0) return
  await trx
    .insertInto('linked_ranges')
    .values(
      ranges.map(({ from, to, prev }) => ({
        from_seqno: from,
        to_seqno: to,
        prev_root_hash: prev.rootHash,
        prev_file_hash: prev.fileHash,
      })),
    )
    .execute()
}
