import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** NOTIFY channel: messages were admitted or their traces changed. The payload is empty. */
export const PENDING_CHANNEL = 'shardwalk_pending'

/** Notifies the listeners of `PENDING_CHANNEL` when the transaction commits. */
export const notifyPending = async (db: Db): Promise<void> => {
  await sql`select pg_notify(${PENDING_CHANNEL}, '')`.execute(db)
}
