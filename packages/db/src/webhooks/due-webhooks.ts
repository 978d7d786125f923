import type { McBlockSeqno } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { validSecrets } from './secrets.ts'

/** A webhook to which something may be delivered now. */
export interface DueWebhook {
  readonly id: number
  readonly url: string
  /** Keys that sign its events, the newest first. */
  readonly secrets: readonly string[]
  readonly failures: number
  /** Every block up to it is indexed, or not waited for. */
  readonly horizon: McBlockSeqno
  /** The last block before the next indexed one, if blocks after the horizon are missing. */
  readonly gapTo: McBlockSeqno | null
}

/** Webhooks that have waiting events and are not delayed themselves. */
export async function dueWebhooks(db: Db): Promise<readonly DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    select w.id, w.url, ${validSecrets} as secrets, w.failures, h.horizon,
      (select min(from_seqno) - 1 from indexed_ranges where from_seqno > h.horizon) as "gapTo"
    from webhooks w join webhook_secrets s on s.webhook_id = w.id
    cross join lateral (select coalesce((select r.to_seqno from indexed_ranges r
      where r.from_seqno <= w.passed_seqno + 1 and r.to_seqno > w.passed_seqno), w.passed_seqno) as horizon) h
    where w.given_up_at is null and w.next_at <= now()
      and exists (select from webhook_outbox o where o.webhook_id = w.id and o.due_at <= now())
    order by w.id`.execute(db)
  return rows
}

/** Blocks up to here that are not indexed are not waited for any longer. */
export async function passBlocks(db: Db, id: number, upTo: McBlockSeqno): Promise<void> {
  await sql`update webhooks set passed_seqno = ${upTo} where id = ${id} and passed_seqno < ${upTo}`.execute(
    db,
  )
}
