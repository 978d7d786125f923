import type pg from 'pg'
import { ArchiveFailed } from './errors.ts'
import type { Contents } from './remote-table.ts'

/** A connection of the pool for one copy. After a failure it is closed, because a COPY may be in progress. */
export async function withConnection<T>(
  pool: pg.Pool,
  copy: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken = true
  try {
    const result = await copy(client)
    broken = false
    return result
  } finally {
    client.release(broken)
  }
}

/** Throws `ArchiveFailed` unless both copies of a partition have the same rows. */
export function compare(partition: string, here: Contents, there: Contents): void {
  if (here.rows === there.rows && here.checksum === there.checksum) return
  throw new ArchiveFailed(
    `the copy of ${partition} differs: ${here.rows} rows with checksum ${here.checksum} here, ` +
      `${there.rows} with ${there.checksum} there; nothing was removed`,
  )
}
