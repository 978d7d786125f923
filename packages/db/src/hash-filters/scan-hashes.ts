import type pg from 'pg'

/** Pages of one statement: some 40,000 hashes. */
const PAGES = 2_048
const HASH_BYTES = 32

/**
 * Calls `onHash` with the place of every hash of a partition, as of one moment. No statement is long: those
 * of ingest may not be.
 */
export async function scanHashes(
  client: pg.ClientBase,
  partition: string,
  onHash: (hashes: Buffer, at: number) => void,
  signal: AbortSignal,
): Promise<void> {
  // One snapshot: a row that is updated meanwhile moves to another page.
  await client.query('begin isolation level repeatable read read only')
  try {
    const { rows } = await client.query<{ pages: number }>(
      `select (pg_relation_size($1::regclass) / current_setting('block_size')::int8)::float8 as pages`,
      [partition],
    )
    const { pages } = rows[0]!
    for (let page = 0; page < pages; page += PAGES) {
      signal.throwIfAborted()
      const { rows } = await client.query<{ hashes: Buffer | null }>(
        `select string_agg(hash, ''::bytea) as hashes from ${partition}
         where ctid >= '(${page},0)' and ctid < '(${page + PAGES},0)'`,
      )
      const hashes = rows[0]!.hashes ?? Buffer.alloc(0)
      for (let at = 0; at < hashes.length; at += HASH_BYTES) onHash(hashes, at)
    }
  } finally {
    await client.query('rollback')
  }
}

/** About as many as there are, as the planner estimates it; all are read if there are no statistics. */
export async function countHashes(
  client: pg.ClientBase,
  partition: string,
  signal: AbortSignal,
): Promise<number> {
  const { rows } = await client.query<{ estimate: number | null }>(
    `select case when relpages > 0 and reltuples > 0 then reltuples::float8 / relpages
       * pg_relation_size(oid) / current_setting('block_size')::int8 end as estimate
     from pg_class where oid = $1::regclass`,
    [partition],
  )
  const { estimate } = rows[0]!
  if (estimate !== null) return estimate
  let count = 0
  await scanHashes(client, partition, () => count++, signal)
  return count
}
