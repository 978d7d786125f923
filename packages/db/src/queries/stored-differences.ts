import {
  countTransactions,
  type DecodedBlock,
  formatShortId,
  type McBlockSeqno,
  shardFromSigned,
} from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'

/**
 * Compares the stored rows with a masterchain block and the shard blocks that it commits: ids and transaction
 * counts of blocks, hashes of transactions, messages of transactions. Returns one text per difference. With
 * `WATCH` transactions may be missing, but none may be wrong.
 */
export async function storedDifferences(
  db: Db,
  mcBlockSeqno: McBlockSeqno,
  blocks: readonly DecodedBlock[],
): Promise<string[]> {
  const kept = await listKept(db, mcBlockSeqno)
  const stored = blocks.filter(({ id }) => !kept.has(id.rootHash.toString('hex')))
  return [
    ...(await compareBlocks(db, mcBlockSeqno, stored)),
    ...(await compareTransactions(db, mcBlockSeqno, { blocks: stored, kept })),
    ...(await findLostMessages(db, mcBlockSeqno)),
  ]
}

/** Hashes of the blocks and transactions in quarantine, which have no rows. */
async function listKept(db: Db, mcBlockSeqno: McBlockSeqno): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('quarantine')
    .select('hash')
    .where('mc_seqno', '=', mcBlockSeqno)
    .where('kind', 'in', ['block', 'transaction'])
    .execute()
  return new Set(rows.map(({ hash }) => hash.toString('hex')))
}

async function compareBlocks(
  db: Db,
  mcBlockSeqno: McBlockSeqno,
  blocks: readonly DecodedBlock[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('blocks')
    .select(['workchain', 'shard', 'seqno', 'root_hash', 'file_hash', 'tx_count'])
    .where('mc_block_seqno', '=', mcBlockSeqno)
    .execute()
  const stored = new Map(
    rows.map((row) => [formatShortId({ ...row, shard: shardFromSigned(row.shard) }), row]),
  )
  const wrong = blocks.flatMap((block) => {
    const { id } = block
    const name = formatShortId(id)
    const row = stored.get(name)
    stored.delete(name)
    if (!row) return [`block ${name} is missing`]
    if (!row.root_hash.equals(id.rootHash) || !row.file_hash.equals(id.fileHash))
      return [`block ${name} has other hashes`]
    const wanted = countTransactions(block)
    return row.tx_count === wanted ? [] : [`block ${name} counts ${row.tx_count} transactions, not ${wanted}`]
  })
  return [...wrong, ...[...stored.keys()].map((name) => `block ${name} does not belong here`)]
}

async function compareTransactions(
  db: Db,
  mcBlockSeqno: McBlockSeqno,
  { blocks, kept }: { readonly blocks: readonly DecodedBlock[]; readonly kept: ReadonlySet<string> },
): Promise<string[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select t.hash from blocks b join transactions t on t.lt between b.batch_start_lt and b.batch_end_lt
      and t.mc_block_seqno = b.seqno
    where ${sql.raw(ofMasterchain('b'))} and b.seqno = ${mcBlockSeqno}`.execute(db)
  const stored = new Set(rows.map((row) => row.hash.toString('hex')))
  const expected = blocks
    .flatMap((block) => block.transactions.map((tx) => tx.hash.toString('hex')))
    .filter((hash) => !kept.has(hash))
  const mayLack = await mayLackTransactions(db)
  const absent = expected.filter((hash) => !stored.delete(hash))
  const missing = mayLack ? [] : absent
  return [
    ...(mayLack || rows.length === expected.length
      ? []
      : [`${rows.length} transactions, not ${expected.length}`]),
    ...missing.map((hash) => `transaction ${hash} is missing`),
    ...[...stored].map((hash) => `transaction ${hash} does not belong here`),
  ]
}

async function mayLackTransactions(db: Db): Promise<boolean> {
  const { rows } = await sql<{ lacks: boolean }>`
    select exists (select from watched where is_current) or exists (select from partial_ranges) as lacks
  `.execute(db)
  return rows[0]!.lacks
}

async function findLostMessages(db: Db, mcBlockSeqno: McBlockSeqno): Promise<string[]> {
  const { rows } = await sql<{ hash: Buffer; wanted: number; found: number }>`
    select t.hash, (t.in_msg_lt is not null)::int + t.out_msg_count as wanted,
      (select count(*)::int from messages m
        where m.account_id = coalesce(t.in_msg_account_id, t.account_id) and m.lt = t.in_msg_lt) +
      (select count(*)::int from messages m
        where m.account_id = t.account_id and m.lt > t.lt and m.lt <= t.lt + t.out_msg_count) as found
    from blocks b join transactions t on t.lt between b.batch_start_lt and b.batch_end_lt
      and t.mc_block_seqno = b.seqno
    where ${sql.raw(ofMasterchain('b'))} and b.seqno = ${mcBlockSeqno}`.execute(db)
  return rows
    .filter(({ wanted, found }) => wanted !== found)
    .map(
      ({ hash, wanted, found }) => `transaction ${hash.toString('hex')} has ${found} messages, not ${wanted}`,
    )
}
