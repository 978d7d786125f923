import type pg from 'pg'
import type { NewRow } from '../tables/index.ts'

/** Stores blocks that could not be decoded: each once, with its newest error. */
export async function insertQuarantine(
  client: Pick<pg.Pool, 'query'>,
  rows: readonly NewRow<'quarantine'>[],
): Promise<void> {
  for (const row of rows)
    await client.query(
      `insert into quarantine (workchain, shard, seqno, root_hash, file_hash, mc_seqno, error, bytes)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (workchain, shard, seqno, root_hash) do update set error = excluded.error`,
      [row.workchain, row.shard, row.seqno, row.root_hash, row.file_hash, row.mc_seqno, row.error, row.bytes],
    )
}
