import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../database.ts'
import { LOCK_KEYS } from '../writing/locks.ts'

/**
 * Announces that the head is being followed without writing a row: the session holds a shared lock, which the
 * server releases when the process dies. The connection is not part of the pool.
 */
export class HeadFollowedMark {
  private session: pg.Client | undefined

  constructor(private readonly pool: pg.Pool) {}

  async set(followed: boolean): Promise<void> {
    if (!followed) return this.close()
    if (this.session) return
    const Client = (this.pool.options.Client ?? pg.Client) as typeof pg.Client
    const session = new Client(this.pool.options)
    // A lost session is replaced at the next call.
    session.on('error', () => {
      if (this.session === session) this.session = undefined
    })
    try {
      await session.connect()
      await lockOnPrimary(session)
      this.session = session
    } catch (error) {
      await session.end().catch(() => {})
      throw error
    }
  }

  /** Ends the session and thereby releases the lock. */
  async close(): Promise<void> {
    const session = this.session
    this.session = undefined
    await session?.end()
  }
}

/** A standby would grant the lock too, where those who ask the primary do not see it. */
async function lockOnPrimary(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ standby: boolean }>(
    'select pg_is_in_recovery() as standby, pg_advisory_lock_shared($1, 0)',
    [LOCK_KEYS.headFollowed],
  )
  if (rows[0]!.standby) throw new Error('this server is a standby')
}

/**
 * Whether a process follows the head; undefined on a replica, where the locks of the primary are not visible.
 */
export async function isHeadFollowed(db: Db): Promise<boolean | undefined> {
  const { rows } = await sql<{ replica: boolean; followed: boolean }>`
    select pg_is_in_recovery() as replica, exists (
      select 1 from pg_locks
      where locktype = 'advisory' and granted and classid::int8 = ${LOCK_KEYS.headFollowed}
        and objid::int8 = 0
        and database = (select oid from pg_database where datname = current_database())
    ) as followed`.execute(db)
  const row = rows[0]
  return row?.replica ? undefined : row?.followed
}
