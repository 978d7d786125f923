import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** More seconds than `next_at` of a webhook is set ahead. */
const WEBHOOK_S = 600
/** The same of `due_at` of an event, before and after its first failure. */
const EVENT_S = 120
const FAILED_EVENT_S = 7_200

/**
 * A webhook or an event that is due later than any postponement was written by a clock of the database that
 * has been set back since: without this nothing would be delivered until the clock is there again. Makes them
 * due now, and returns their number. Index: webhook_outbox_due.
 */
export async function makeWebhooksDueAfterSetBack(db: Db): Promise<number> {
  const webhooks = await sql`
    update webhooks set next_at = now()
    where next_at > now() + make_interval(secs => ${WEBHOOK_S})`.execute(db)
  // A process that still delivers one of them prolongs its lease within seconds.
  const events = await sql`
    update webhook_outbox set due_at = now(), leased_until = null where id in (
      select o.id from webhooks w join webhook_outbox o on o.webhook_id = w.id
      where o.due_at > now() + make_interval(secs => ${EVENT_S})
        and (o.failing_since is null or o.due_at > now() + make_interval(secs => ${FAILED_EVENT_S}))
      for update of o skip locked)`.execute(db)
  return Number(webhooks.numAffectedRows ?? 0) + Number(events.numAffectedRows ?? 0)
}
