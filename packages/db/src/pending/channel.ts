import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Notified when messages are admitted or their traces change; says nothing else. */
export const PENDING_CHANNEL = 'shardwalk_pending'

export const notifyPending = async (db: Db): Promise<void> => {
  await sql`select pg_notify(${PENDING_CHANNEL}, '')`.execute(db)
}
