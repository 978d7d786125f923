import { type BlockId, formatBlockId, masterchainId } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type { Db } from '../database.ts'

/** A stored masterchain block that differs from the proven one. */
export interface ProofConflict {
  readonly stored: BlockId
  readonly proven: BlockId
  /** JSON that shows why `proven` is right. */
  readonly evidence: unknown
}

/** Stores the evidence, once per conflict. */
export async function insertConflict(db: Db, { stored, proven, evidence }: ProofConflict): Promise<void> {
  await db
    .insertInto('proof_conflicts')
    .values({
      seqno: stored.seqno,
      stored_root_hash: stored.rootHash,
      stored_file_hash: stored.fileHash,
      proven_root_hash: proven.rootHash,
      proven_file_hash: proven.fileHash,
      evidence: JSON.stringify({
        stored: formatBlockId(stored),
        proven: formatBlockId(proven),
        ...(evidence as object),
      }),
    })
    .onConflict((conflict) => conflict.columns(['seqno', 'stored_root_hash', 'proven_root_hash']).doNothing())
    .execute()
}

/** Conflicts of blocks that are still stored, ascending. */
export async function listConflicts(db: Db): Promise<readonly ProofConflict[]> {
  const rows = await db.selectFrom('proof_conflicts').selectAll().orderBy('seqno').execute()
  return rows.map((row) => ({
    stored: { ...masterchainId(row.seqno), rootHash: row.stored_root_hash, fileHash: row.stored_file_hash },
    proven: { ...masterchainId(row.seqno), rootHash: row.proven_root_hash, fileHash: row.proven_file_hash },
    evidence: row.evidence,
  }))
}

/** Must be called when blocks are rewritten. */
export async function deleteConflicts(db: Db, { from, to }: SeqnoRange): Promise<void> {
  await db.deleteFrom('proof_conflicts').where('seqno', '>=', from).where('seqno', '<=', to).execute()
}
