import type { AccountId, Lt, McBlockSeqno, RawAddress, Workchain } from '@shardwalk/model'
import { type WalletOfEvent, WEBHOOK_TYPES, type WebhookType } from '@shardwalk/tables'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A webhook to which something may be delivered now. */
export interface DueWebhook {
  readonly id: number
  readonly url: string
  readonly secret: string
  readonly failures: number
  /** Every block up to it is indexed, or not waited for. */
  readonly horizon: McBlockSeqno
  /** The last block before the next indexed one, if blocks after the horizon are missing. */
  readonly gapTo: McBlockSeqno | null
}

/** Webhooks with waiting events that are not put off. */
export async function dueWebhooks(db: Db): Promise<readonly DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    select w.id, w.url, s.secret, w.failures, h.horizon,
      (select min(from_seqno) - 1 from indexed_ranges where from_seqno > h.horizon) as "gapTo"
    from webhooks w join webhook_secrets s on s.webhook_id = w.id
    cross join lateral (select coalesce((select r.to_seqno from indexed_ranges r
      where r.from_seqno <= w.passed_seqno + 1 and r.to_seqno > w.passed_seqno), w.passed_seqno) as horizon) h
    where w.given_up_at is null and w.next_at <= now()
      and exists (select from webhook_outbox o where o.webhook_id = w.id)
    order by w.id`.execute(db)
  return rows
}

/** Blocks up to here that are not indexed are not waited for any longer. */
export async function passBlocks(db: Db, id: number, upTo: McBlockSeqno): Promise<void> {
  await sql`update webhooks set passed_seqno = ${upTo} where id = ${id} and passed_seqno < ${upTo}`.execute(
    db,
  )
}

/** An event that this process delivers now. */
export interface OutboxEvent {
  readonly id: bigint
  readonly webhookId: number
  readonly type: WebhookType
  readonly accountId: AccountId
  readonly account: RawAddress
  readonly mcBlockSeqno: McBlockSeqno
  readonly lt: Lt
  readonly traceId: Buffer | undefined
  readonly walletId: AccountId | undefined
  readonly wallet: WalletOfEvent | undefined
  /** Transactions or actions of it that earlier deliveries had. */
  readonly sent: number
  /** This one included. */
  readonly attempts: number
}

interface EventRow {
  readonly id: bigint
  readonly webhook_id: number
  readonly type: number
  readonly account_id: AccountId
  readonly workchain: Workchain
  readonly address: Buffer
  readonly mc_seqno: McBlockSeqno
  readonly lt: Lt
  readonly trace_id: Buffer | null
  readonly wallet_id: AccountId | null
  readonly wallet: WalletOfEvent | null
  readonly sent: number
  readonly attempts: number
}

export interface ClaimOptions {
  readonly limit: number
  readonly leaseSeconds: number
}

/** How long actions wait for an earlier trace of their account that is not classified yet. Seconds. */
const CLASSIFIER_PATIENCE = 60
/** Such traces are looked for among the transactions of so much lt before; about 300 blocks. */
const EARLIER_LT = 300_000_000

/** The first event of each account of the webhook, by an index scan that jumps from account to account. */
const headsOf = (webhookId: number) => sql`
  with recursive lanes as (
    (select account_id from webhook_outbox where webhook_id = ${webhookId} order by account_id limit 1)
    union all
    select (select o.account_id from webhook_outbox o
      where o.webhook_id = ${webhookId} and o.account_id > l.account_id order by o.account_id limit 1)
    from lanes l where l.account_id is not null),
  heads as (
    select o.* from lanes l cross join lateral (
      select * from webhook_outbox where webhook_id = ${webhookId} and account_id = l.account_id
      order by mc_seqno, type, lt, id limit 1) o
    where l.account_id is not null)`

/**
 * Claims the first events of accounts, those that wait longest first. Others skip them until the lease ends;
 * the later events of the account wait.
 */
export async function claimEvents(
  db: Db,
  { id, horizon }: Pick<DueWebhook, 'id' | 'horizon'>,
  { limit, leaseSeconds }: ClaimOptions,
): Promise<readonly OutboxEvent[]> {
  const { rows } = await sql<EventRow>`
    ${headsOf(id)},
    due as (
      select h.id from heads h
      where h.due_at <= now() and h.given_up_at is null and h.mc_seqno <= ${horizon}
        and not exists (select from webhook_outbox b where b.webhook_id = h.webhook_id
          and b.account_id = h.account_id and b.leased_until is not null and b.leased_until > now())
        and not (h.type = ${ACTIONS} and exists (select from transactions t
          join unclassified_traces u on u.trace_id = trace_id_of(t.piece)
          where t.account_id = h.account_id and t.lt between h.lt - ${EARLIER_LT} and h.lt
            and u.end_lt < h.lt and u.queued_at > now() - make_interval(secs => ${CLASSIFIER_PATIENCE})))
      order by h.queued_at, h.id limit ${limit}),
    claimed as (
      select o.id from webhook_outbox o where o.id in (select id from due)
        and (o.leased_until is null or o.leased_until <= now())
      for update skip locked)
    update webhook_outbox o set leased_until = now() + make_interval(secs => ${leaseSeconds}),
      attempts = o.attempts + 1
    from claimed c, accounts a where o.id = c.id and a.id = o.account_id
    returning o.id, o.webhook_id, o.type, o.account_id, a.workchain, a.address, o.mc_seqno, o.lt, o.trace_id,
      o.wallet_id, o.wallet, o.sent, o.attempts`.execute(db)
  return rows.map(fromRow)
}

const ACTIONS = WEBHOOK_TYPES.indexOf('actions')

const fromRow = (row: EventRow): OutboxEvent => ({
  id: row.id,
  webhookId: row.webhook_id,
  type: WEBHOOK_TYPES[row.type]!,
  accountId: row.account_id,
  account: { workchain: row.workchain, hash: row.address },
  mcBlockSeqno: row.mc_seqno,
  lt: row.lt,
  traceId: row.trace_id ?? undefined,
  walletId: row.wallet_id ?? undefined,
  wallet: row.wallet ?? undefined,
  sent: row.sent,
  attempts: row.attempts,
})

/** The receiver accepted it. `more`: so many parts of it, and others are left. */
export async function acceptEvent(db: Db, event: OutboxEvent, more: number | undefined): Promise<void> {
  if (more === undefined) await dropEvent(db, event)
  else
    await sql`
      update webhook_outbox set sent = ${event.sent + more}, leased_until = null, attempts = 0,
        due_at = now(), failing_since = null, fault = null
      where id = ${event.id} and sent = ${event.sent}`.execute(db)
  await sql`
    update webhooks set failures = 0, failing_since = null, fault = null, succeeded_at = now(),
      next_at = now()
    where id = ${event.webhookId} and (failures > 0 or succeeded_at is null
      or succeeded_at < now() - interval '10 seconds')`.execute(db)
}

/** There is nothing left to tell of it, which says nothing of the receiver. */
export async function dropEvent(db: Db, { id }: Pick<OutboxEvent, 'id'>): Promise<void> {
  await sql`delete from webhook_outbox where id = ${id}`.execute(db)
}

export interface FailedDelivery {
  readonly fault: string
  /** Until the next attempt, of the event and of the webhook. Seconds. */
  readonly eventDelay: number
  readonly webhookDelay: number
  /** Failures that last longer end deliveries. Seconds. */
  readonly patience: number
}

/** The receiver did not accept it. Nothing changes if another process has it now. */
export async function failEvent(
  db: Db,
  { id, webhookId, attempts }: OutboxEvent,
  { fault, eventDelay, webhookDelay, patience }: FailedDelivery,
): Promise<void> {
  const since = sql`coalesce(failing_since, now())`
  const end = sql`case when ${since} < now() - make_interval(secs => ${patience}) then now() end`
  await sql`
    update webhook_outbox set leased_until = null, due_at = now() + make_interval(secs => ${eventDelay}),
      failing_since = ${since}, given_up_at = ${end}, fault = ${fault}
    where id = ${id} and attempts = ${attempts}`.execute(db)
  await sql`
    update webhooks set failures = failures + 1, failing_since = ${since}, given_up_at = ${end},
      fault = ${fault}, next_at = now() + make_interval(secs => ${webhookDelay})
    where id = ${webhookId}`.execute(db)
}

/** It was not sent: another process may do it at once. */
export async function releaseEvent(db: Db, { id, attempts }: OutboxEvent): Promise<void> {
  await sql`
    update webhook_outbox set leased_until = null, attempts = attempts - 1
    where id = ${id} and attempts = ${attempts}`.execute(db)
}

/**
 * Stops keeping events of webhooks for which more than `most` wait, and removes those of webhooks that are
 * gone: a batch may have been writing them meanwhile.
 */
export async function tendOutbox(db: Db, most: number): Promise<void> {
  await sql`
    update webhooks w set full_seqno = (select max(to_seqno) from indexed_ranges)
    where w.failing_since is not null and w.full_seqno is null
      and (select count(*) from (select from webhook_outbox where webhook_id = w.id
        limit ${most + 1}) o) > ${most}`.execute(db)
  await sql`
    with recursive ids as (
      (select webhook_id from webhook_outbox order by webhook_id limit 1)
      union all
      select (select o.webhook_id from webhook_outbox o where o.webhook_id > i.webhook_id
        order by o.webhook_id limit 1)
      from ids i where i.webhook_id is not null)
    delete from webhook_outbox where webhook_id in (
      select webhook_id from ids where webhook_id is not null
        and not exists (select from webhooks w where w.id = webhook_id))`.execute(db)
}
