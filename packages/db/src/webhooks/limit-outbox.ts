import type { McBlockSeqno } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A webhook of which later events are not kept. */
export interface SuspendedWebhook {
  readonly id: number
  readonly fullSeqno: McBlockSeqno
}

/**
 * Stops keeping events of webhooks for which more than `most` wait or were given up, and removes those of
 * webhooks that are gone: a batch may have been writing them meanwhile. Returns those that it stopped.
 */
export async function limitOutbox(db: Db, most: number): Promise<readonly SuspendedWebhook[]> {
  const { rows } = await sql<SuspendedWebhook>`
    update webhooks w set full_seqno = coalesce((select max(to_seqno) from indexed_ranges), w.after_seqno)
    where w.full_seqno is null
      and (${countOf('null', most + 1)}) + (${countOf('not null', most + 1)}) > ${most}
    returning w.id, w.full_seqno as "fullSeqno"`.execute(db)
  await sql`
    with recursive ids as (
      (select webhook_id from webhook_outbox where given_up_at is null order by webhook_id limit 1)
      union all
      select (select o.webhook_id from webhook_outbox o where o.webhook_id > i.webhook_id
        and o.given_up_at is null order by o.webhook_id limit 1)
      from ids i where i.webhook_id is not null)
    delete from webhook_outbox where given_up_at is null and webhook_id in (
      select webhook_id from ids where webhook_id is not null
        and not exists (select from webhooks w where w.id = webhook_id))`.execute(db)
  return rows
}

/** Of the webhook `w`, at most `most`. Index: webhook_outbox_lane, webhook_outbox_given_up. */
const countOf = (givenUp: 'null' | 'not null', most: number) => sql`
  select count(*) from (select from webhook_outbox
    where webhook_id = w.id and given_up_at is ${sql.raw(givenUp)} limit ${most}) o`
