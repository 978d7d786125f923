import type pg from 'pg'
import { LOCK_KEYS } from './locks.ts'

type Work = 'retention' | 'compaction' | 'filters' | 'migrations' | 'archive'

/** Runs work while no other process does; undefined if one does. The connection is the one with the lock. */
export async function oneAtATime<T>(
  pool: pg.Pool,
  what: Work,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T | undefined> {
  const client = await pool.connect()
  let failed = true
  try {
    const result = await unlessLocked(client, what, () => work(client))
    failed = false
    return result
  } finally {
    // With the connection the lock ends too.
    client.release(failed)
  }
}

/** The same on a connection: the lock lasts as long as the statements of the work do. */
export async function unlessLocked<T>(
  client: pg.ClientBase,
  what: Work,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const key = `${LOCK_KEYS[what]}, 0`
  const { rows } = await client.query<{ ok: boolean }>(`select pg_try_advisory_lock(${key}) as ok`)
  if (!rows[0]!.ok) return undefined
  try {
    return await work()
  } finally {
    await client.query(`select pg_advisory_unlock(${key})`)
  }
}
