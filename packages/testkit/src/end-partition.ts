import { type DatabaseHandle, DEFAULT_PARTITION_WIDTH, findHeadRange, writeIngestStatus } from '@shardwalk/db'

/**
 * Finishes the first partitions, as if the chain had gone on in the next ones and nothing earlier were to be
 * indexed.
 */
export async function endPartition({ db, pool }: DatabaseHandle): Promise<void> {
  const { from, to } = (await findHeadRange(db))!
  await writeIngestStatus(db, { head: to, first: from })
  await pool.query('update blocks set batch_start_lt = $1 where workchain = -1 and seqno = $2', [
    DEFAULT_PARTITION_WIDTH,
    to,
  ])
}
