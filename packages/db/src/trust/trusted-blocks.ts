import { type BlockId, FULL_SHARD, type McBlockSeqno, masterchainId, shardToSigned } from '@shardwalk/model'
import type { Db } from '../database.ts'

const toBlockId = (row: { seqno: McBlockSeqno; root_hash: Buffer; file_hash: Buffer }): BlockId => ({
  ...masterchainId(row.seqno),
  rootHash: row.root_hash,
  fileHash: row.file_hash,
})

const toRow = ({ seqno, rootHash, fileHash }: BlockId) => ({
  seqno,
  root_hash: rootHash,
  file_hash: fileHash,
})

/** Key blocks proven so far, ascending. */
export async function listTrustedKeyBlocks(db: Db): Promise<readonly BlockId[]> {
  const rows = await db.selectFrom('trusted_key_blocks').selectAll().orderBy('seqno').execute()
  return rows.map(toBlockId)
}

/** Stores key blocks; those already stored stay unchanged. */
export async function rememberKeyBlocks(db: Db, ids: readonly BlockId[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .insertInto('trusted_key_blocks')
    .values(ids.map(toRow))
    .onConflict((conflict) => conflict.column('seqno').doNothing())
    .execute()
}

/** The newest proven masterchain block. */
export async function findProvedBlock(db: Db): Promise<BlockId | undefined> {
  const row = await db.selectFrom('proved_block').selectAll().executeTakeFirst()
  return row && toBlockId(row)
}

/** Stores a masterchain block as proven, unless a newer one is stored. */
export async function saveProvedBlock(db: Db, id: BlockId): Promise<void> {
  await db
    .insertInto('proved_block')
    .values({ id: 1, ...toRow(id) })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((eb) => ({
          seqno: eb.ref('excluded.seqno'),
          root_hash: eb.ref('excluded.root_hash'),
          file_hash: eb.ref('excluded.file_hash'),
          proved_at: new Date(),
        }))
        .whereRef('proved_block.seqno', '<', 'excluded.seqno'),
    )
    .execute()
}

/** Ids of stored masterchain blocks by seqno, including those in quarantine. */
export async function findMasterchainIds(
  db: Db,
  seqnos: readonly McBlockSeqno[],
): Promise<ReadonlyMap<McBlockSeqno, BlockId>> {
  if (seqnos.length === 0) return new Map()
  const shard = shardToSigned(FULL_SHARD)
  const columns = ['seqno', 'root_hash', 'file_hash'] as const
  const select = (table: 'blocks' | 'quarantine') =>
    db
      .selectFrom(table)
      .select(columns)
      .where('workchain', '=', -1)
      .where('shard', '=', shard)
      .where('seqno', 'in', [...seqnos])
      .execute()
  // Entries in quarantine name their block too.
  const [stored, unreadable] = [await select('blocks'), await select('quarantine')]
  return new Map([...unreadable, ...stored].map((row) => [row.seqno, toBlockId(row)]))
}

/**
 * The proven part of the stored masterchain: all its blocks are linked to `to` by references that were
 * compared.
 */
export interface ProvedRange {
  readonly from: McBlockSeqno
  readonly to: McBlockSeqno
  readonly provedAt: Date
}

/** Undefined when nothing is proven yet. */
export async function findProvedRange(db: Db): Promise<ProvedRange | undefined> {
  const row = await db
    .selectFrom('proved_block as p')
    .leftJoin('linked_ranges as l', (join) =>
      join.onRef('l.from_seqno', '<=', 'p.seqno').onRef('l.to_seqno', '>=', 'p.seqno'),
    )
    .select(['p.seqno', 'p.proved_at', 'l.from_seqno'])
    .executeTakeFirst()
  return row && { from: row.from_seqno ?? row.seqno, to: row.seqno, provedAt: row.proved_at }
}
