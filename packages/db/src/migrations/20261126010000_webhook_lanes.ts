import { type Kysely, sql } from 'kysely'

/** Events of webhooks that wait behind others are not due, nor are those that were given up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'alter table webhook_outbox alter due_at drop not null',
  'update webhook_outbox set due_at = null where given_up_at is not null',
  'drop index webhook_outbox_lane',
  `create index webhook_outbox_lane on webhook_outbox
     (webhook_id, account_id, mc_seqno, type, lt, id) where given_up_at is null`,
  `create index webhook_outbox_due on webhook_outbox (webhook_id, due_at, mc_seqno)
     where due_at is not null`,
  `create index webhook_outbox_given_up on webhook_outbox (webhook_id, given_up_at)
     where given_up_at is not null`,
]
