import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { unlessMigrated } from '../schema-version.ts'

/**
 * Minutes. Nodes keep an external message for ten minutes at most; after an hour it is in the chain or will
 * never be.
 */
const KEPT_MINUTES = 60
/** A message has at most 64 KiB, so the table stays below 1.3 GB. */
const MAX_KEPT = 20_000

/** A message that lite servers have taken. `hashNorm`: by TEP-467. */
export interface SentMessage {
  readonly hashNorm: Buffer
  readonly boc: Buffer
}

/**
 * Stores a message that a lite server accepted. Sending it again updates its time. Throws `SchemaTooNew`.
 */
export async function insertSentMessage(db: Db, { hashNorm, boc }: SentMessage): Promise<void> {
  await unlessMigrated(db, (transaction) =>
    transaction
      .insertInto('sent_messages')
      .values({ hash_norm: hashNorm, boc })
      .onConflict((conflict) => conflict.column('hash_norm').doUpdateSet({ boc, sent_at: sql`now()` }))
      .execute(),
  )
}

/**
 * The message with this normalised hash and the time it was last sent; undefined when it was not sent here or
 * too long ago.
 */
export async function findSentMessage(
  db: Db,
  hashNorm: Buffer,
): Promise<(SentMessage & { readonly sentAt: Date }) | undefined> {
  const row = await db
    .selectFrom('sent_messages')
    .selectAll()
    .where('hash_norm', '=', hashNorm)
    .executeTakeFirst()
  return row && { hashNorm: row.hash_norm, boc: row.boc, sentAt: row.sent_at }
}

/** Deletes messages that are too old or too many, oldest first. Index: sent_messages_sent_at. */
export async function trimSentMessages(db: Db, limits: { readonly max?: number } = {}): Promise<void> {
  const { max = MAX_KEPT } = limits
  await sql`delete from sent_messages where sent_at <= greatest(
    now() - make_interval(mins => ${KEPT_MINUTES}::int),
    (select sent_at from sent_messages order by sent_at desc offset ${max} limit 1))`.execute(db)
}
