import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { LOCK_KEYS } from '../writing/locks.ts'

/**
 * Runs work that changes which events of a webhook are due. One after the other, so that of the events of an
 * account that wait at least one has `due_at`. What is written meanwhile has it.
 */
export const inLanes = <T>(db: Db, webhookId: number, work: (trx: Db) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEYS.webhooks}::int, ${webhookId}::int)`.execute(trx)
    return work(trx)
  })
