import type { McBlockSeqno, RawAddress, Workchain } from '@shardwalk/model'
import { WEBHOOK_TYPES, type WebhookType } from '@shardwalk/tables'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { withNumbering } from '../writing/numbering.ts'
import { inLanes } from './lanes.ts'
import { makeSecret, validSecrets } from './secrets.ts'

/** A webhook to be added. */
export interface NewWebhook {
  readonly url: string
  readonly types: readonly WebhookType[]
  readonly accounts: readonly RawAddress[]
  /** Events are those of masterchain blocks after it. */
  readonly after: McBlockSeqno
}

/** What is shown of a webhook. */
export interface WebhookStatus {
  readonly id: number
  readonly url: string
  readonly types: readonly WebhookType[]
  readonly accounts: number
  readonly afterSeqno: McBlockSeqno
  /** Events that wait, up to `COUNTED_EVENTS`. */
  readonly waiting: number
  /** Age of the oldest of them, 0 if there is none. */
  readonly oldestSeconds: number
  /** Events that were given up, up to `COUNTED_EVENTS`. */
  readonly dead: number
  /** The one that was given up last. */
  readonly lastDead: DeadEvent | undefined
  readonly failures: number
  readonly failingSince: Date | undefined
  readonly fault: string | undefined
  readonly succeededAt: Date | undefined
  readonly givenUpAt: Date | undefined
  /** Events of later blocks were not kept. */
  readonly fullSeqno: McBlockSeqno | undefined
  /** Until then the key before the present one signs too. */
  readonly formerUntil: Date | undefined
}

/** An event whose delivery was given up; the operator may retry it. */
export interface DeadEvent {
  readonly type: WebhookType
  readonly account: RawAddress
  readonly mcBlockSeqno: McBlockSeqno
  readonly fault: string
}

/** More events are not counted. */
const COUNTED_EVENTS = 100_000

/** Adds a webhook. Accounts that the chain has not shown yet have events once it does. */
export async function insertWebhook(
  pool: pg.Pool,
  { url, types, accounts, after }: NewWebhook,
): Promise<{ readonly id: number; readonly secret: string }> {
  const secret = makeSecret()
  const id = await withNumbering(pool, async (client, numbering) => {
    const ids = [...new Set(accounts.map((account) => numbering.idOf(account)))]
    await numbering.insert()
    const { rows } = await client.query<{ id: number }>(
      `insert into webhooks (url, types, after_seqno, passed_seqno) values ($1, $2, $3, $3) returning id`,
      [url, types, after],
    )
    const { id: webhook } = rows[0]!
    await client.query('insert into webhook_secrets (webhook_id, secret) values ($1, $2)', [webhook, secret])
    await client.query(
      `insert into webhook_accounts (account_id, webhook_id)
       select distinct account_id, $2::int from unnest($1::int8[]) as a(account_id) order by 1`,
      [ids, webhook],
    )
    return webhook
  })
  return { id, secret }
}

interface StatusRow {
  readonly id: number
  readonly url: string
  readonly types: readonly WebhookType[]
  readonly after_seqno: McBlockSeqno
  readonly failures: number
  readonly failing_since: Date | null
  readonly fault: string | null
  readonly succeeded_at: Date | null
  readonly given_up_at: Date | null
  readonly full_seqno: McBlockSeqno | null
  readonly former_until: Date | null
  readonly accounts: number
  readonly waiting: number
  readonly oldest: number
  readonly dead: number
  readonly dead_type: number | null
  readonly dead_seqno: McBlockSeqno | null
  readonly dead_fault: string | null
  readonly workchain: Workchain | null
  readonly address: Buffer | null
}

/** All webhooks, in order of creation, with what waits for them. */
export async function listWebhooks(db: Db): Promise<readonly WebhookStatus[]> {
  const { rows } = await sql<StatusRow>`
    select w.id, w.url, w.types, w.after_seqno, w.failures, w.failing_since, w.fault, w.succeeded_at,
      w.given_up_at, w.full_seqno, o.*, g.*, l.*,
      (select s.former_until from webhook_secrets s
        where s.webhook_id = w.id and s.former_until > now()) as former_until,
      (select count(*) from webhook_accounts a where a.webhook_id = w.id)::float8 as accounts
    from webhooks w cross join lateral (
      select count(*)::float8 as waiting,
        coalesce(extract(epoch from now() - min(queued_at)), 0)::float8 as oldest
      from (select queued_at from webhook_outbox where webhook_id = w.id and given_up_at is null
        limit ${COUNTED_EVENTS}) s) o
    cross join lateral (
      select count(*)::float8 as dead from (select from webhook_outbox
        where webhook_id = w.id and given_up_at is not null limit ${COUNTED_EVENTS}) s) g
    left join lateral (
      select d.type as dead_type, d.mc_seqno as dead_seqno, d.fault as dead_fault, a.workchain, a.address
      from webhook_outbox d join accounts a on a.id = d.account_id
      where d.webhook_id = w.id and d.given_up_at is not null order by d.given_up_at desc limit 1) l on true
    order by w.id`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    types: row.types,
    accounts: row.accounts,
    afterSeqno: row.after_seqno,
    waiting: row.waiting,
    oldestSeconds: row.oldest,
    dead: row.dead,
    lastDead: deadOf(row),
    failures: row.failures,
    failingSince: row.failing_since ?? undefined,
    fault: row.fault ?? undefined,
    succeededAt: row.succeeded_at ?? undefined,
    givenUpAt: row.given_up_at ?? undefined,
    fullSeqno: row.full_seqno ?? undefined,
    formerUntil: row.former_until ?? undefined,
  }))
}

const deadOf = (row: StatusRow): DeadEvent | undefined =>
  row.dead_type === null
    ? undefined
    : {
        type: WEBHOOK_TYPES[row.dead_type]!,
        account: { workchain: row.workchain!, hash: row.address! },
        mcBlockSeqno: row.dead_seqno!,
        fault: row.dead_fault ?? '',
      }

/** URL and keys of a webhook, the newest first; undefined: there is none with this id. */
export async function findWebhook(
  db: Db,
  id: number,
): Promise<{ readonly url: string; readonly secrets: readonly string[] } | undefined> {
  return db
    .selectFrom('webhooks as w')
    .innerJoin('webhook_secrets as s', 's.webhook_id', 'w.id')
    .select(['w.url', validSecrets.as('secrets')])
    .where('w.id', '=', id)
    .executeTakeFirst()
}

/** Removes a webhook and its events; false: there is none with this id. */
export async function deleteWebhook(db: Db, id: number): Promise<boolean> {
  const row = await db.deleteFrom('webhooks').where('id', '=', id).returning('id').executeTakeFirst()
  await db.deleteFrom('webhook_outbox').where('webhook_id', '=', id).execute()
  return row !== undefined
}

/** What a retry did. */
export interface Retried {
  /** Events that were postponed or given up. */
  readonly events: number
  /** Masterchain blocks whose events were not kept: those after `after`. */
  readonly missed: { readonly after: McBlockSeqno; readonly to: McBlockSeqno } | undefined
}

/**
 * Makes everything due at once, what was given up included, and keeps events again if too many waited.
 * `url`: where everything is sent from now on. Undefined: there is no such webhook.
 */
export const retryWebhook = (db: Db, id: number, url?: string): Promise<Retried | undefined> =>
  inLanes(db, id, async (trx) => {
    const { rows } = await sql<{ full: McBlockSeqno | null; head: McBlockSeqno }>`
      update webhooks w set next_at = now(), failures = 0, failing_since = null, given_up_at = null,
        full_seqno = null, url = coalesce(${url ?? null}, w.url)
      from (select full_seqno from webhooks where id = ${id}) b where w.id = ${id}
      returning b.full_seqno as full,
        coalesce((select max(to_seqno) from indexed_ranges), 0) as head`.execute(trx)
    const [row] = rows
    if (!row) return undefined
    const { numUpdatedRows } = await trx
      .updateTable('webhook_outbox')
      .set({ due_at: sql<Date>`now()`, failing_since: null, given_up_at: null })
      .where('webhook_id', '=', id)
      .where((is) =>
        is.or([
          is('given_up_at', 'is not', null),
          is.and([is('due_at', '>', sql<Date>`now()`), is('leased_until', 'is', null)]),
        ]),
      )
      .executeTakeFirst()
    const { full, head } = row
    return { events: Number(numUpdatedRows), missed: full === null ? undefined : { after: full, to: head } }
  })

/** Removes the events that were given up. Returns their number. */
export async function discardDead(db: Db, id: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_outbox')
    .where('webhook_id', '=', id)
    .where('given_up_at', 'is not', null)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
