import type pg from 'pg'
import type { NewRow } from '../database-types.ts'

/** Stores what could not be decoded or stored: one row per part, with its newest error. */
export async function insertQuarantine(
  client: Pick<pg.Pool, 'query'>,
  rows: readonly NewRow<'quarantine'>[],
): Promise<void> {
  for (const row of rows)
    await client.query(
      `insert into quarantine (workchain, shard, seqno, root_hash, file_hash, mc_seqno, kind, hash, account,
        lt, error, tried_with, bytes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
       on conflict (workchain, shard, seqno, root_hash, kind, hash)
       do update set error = excluded.error, tried_with = excluded.tried_with`,
      [
        row.workchain,
        row.shard,
        row.seqno | 0,
        row.root_hash,
        row.file_hash,
        row.mc_seqno,
        row.kind,
        row.hash,
        row.account,
        row.lt,
        row.error,
        row.tried_with,
        row.bytes,
      ],
    )
}
