import type { AccountId, Lt, McBlockSeqno, RawAddress, Workchain } from '@shardwalk/model'
import { type WalletOfEvent, WEBHOOK_TYPES, type WebhookType } from '@shardwalk/tables'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { inLanes } from './lanes.ts'

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

/** Webhooks that have waiting events and are not delayed themselves. */
export async function dueWebhooks(db: Db): Promise<readonly DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    select w.id, w.url, s.secret, w.failures, h.horizon,
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

/** `leaseSeconds`: after which an event that was not finished may be claimed again. */
export interface ClaimOptions {
  readonly limit: number
  readonly leaseSeconds: number
}

/** How long actions wait for an earlier trace of their account that is not classified yet. Seconds. */
const CLASSIFIER_PATIENCE = 60
/** Until such actions are looked at again. Seconds. */
const CLASSIFIER_POLL = 1
/** Such traces are looked for among the transactions of so much lt before; about 300 blocks. */
const EARLIER_LT = 300_000_000
/** Events that are looked at in one transaction, and transactions of one claim. */
const LOOKED_AT = 250
const ROUNDS = 20

/**
 * Claims the first events of accounts, those that are due longest first. Others skip them until the lease
 * ends; the later events of the account wait.
 */
export async function claimEvents(
  db: Db,
  webhook: Pick<DueWebhook, 'id' | 'horizon'>,
  { limit, leaseSeconds }: ClaimOptions,
): Promise<readonly OutboxEvent[]> {
  const events: OutboxEvent[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const looked = await inLanes(db, webhook.id, async (trx) => {
      const due = await dueEvents(trx, webhook)
      if (due.length === 0) return 0
      events.push(...(await claimFirst(trx, webhook.id, { due, limit: limit - events.length, leaseSeconds })))
      return due.length
    })
    if (looked < LOOKED_AT || events.length >= limit) break
  }
  return events
}

interface DueEvent {
  readonly id: bigint
  readonly account_id: AccountId
}

/** Those that are due longest. Index: webhook_outbox (webhook_id, due_at, mc_seqno). */
async function dueEvents(
  db: Db,
  { id, horizon }: Pick<DueWebhook, 'id' | 'horizon'>,
): Promise<readonly DueEvent[]> {
  const { rows } = await sql<DueEvent>`
    select id, account_id from webhook_outbox
    where webhook_id = ${id} and due_at <= now() and mc_seqno <= ${horizon}
    order by due_at limit ${LOOKED_AT}`.execute(db)
  return rows
}

/**
 * Claims those of the events that are the first of their accounts. The others are no longer due, so that
 * nobody looks at them again before they are the first.
 */
async function claimFirst(
  db: Db,
  webhookId: number,
  { due, limit, leaseSeconds }: ClaimOptions & { readonly due: readonly DueEvent[] },
): Promise<readonly OutboxEvent[]> {
  const { rows } = await sql<EventRow>`
    with due as (
      select * from unnest(${due.map(({ id }) => id)}::int8[], ${due.map((one) => one.account_id)}::int8[])
        with ordinality d(id, account_id, place)),
    lanes as (
      select l.place, f.* from (select account_id, min(place) as place from due group by 1) l
      cross join lateral (${firstOf(webhookId, sql`l.account_id`)}) f),
    firsts as (
      select f.id, f.place, f.due_at, f.type = ${ACTIONS} and exists (select from transactions t
          join unclassified_traces u on u.trace_id = trace_id_of(t.piece)
          where t.account_id = f.account_id and t.lt between f.lt - ${EARLIER_LT} and f.lt
            and u.end_lt < f.lt and u.queued_at > now() - make_interval(secs => ${CLASSIFIER_PATIENCE}))
          as is_early
      from lanes f where coalesce(f.due_at, now()) <= now()
        and not exists (select from webhook_outbox b where b.webhook_id = ${webhookId}
          and b.account_id = f.account_id and b.leased_until > now())),
    claimed as (select id from firsts where not is_early order by place limit ${limit}),
    waiting as (
      select id, now() + case when is_early then ${CLASSIFIER_POLL} else 0 end * interval '1 s' as at
      from firsts where (is_early or due_at is null) and id not in (select id from claimed)
      union all
      select id, null from due where id not in (select id from lanes)),
    put_off as (
      update webhook_outbox o set due_at = w.at, leased_until = null from waiting w where o.id = w.id)
    update webhook_outbox o set attempts = o.attempts + 1,
      leased_until = now() + make_interval(secs => ${leaseSeconds}),
      due_at = now() + make_interval(secs => ${leaseSeconds})
    from claimed c, accounts a where o.id = c.id and a.id = o.account_id
    returning o.id, o.webhook_id, o.type, o.account_id, a.workchain, a.address, o.mc_seqno, o.lt, o.trace_id,
      o.wallet_id, o.wallet, o.sent, o.attempts`.execute(db)
  return rows.map(fromRow)
}

/** The event of an account that is delivered next. Index: webhook_outbox_lane. */
const firstOf = (webhookId: number, accountId: RawBuilder<unknown>) => sql`
  select id, account_id, type, lt, due_at from webhook_outbox
  where webhook_id = ${webhookId} and account_id = ${accountId} and given_up_at is null
  order by mc_seqno, type, lt, id limit 1`

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

/** Prolongs the lease of a claimed event, unless it was ended or another process has it. */
export async function prolongEvent(
  db: Db,
  { id, attempts }: Pick<OutboxEvent, 'id' | 'attempts'>,
  leaseSeconds: number,
): Promise<void> {
  const until = sql`now() + make_interval(secs => ${leaseSeconds})`
  await sql`
    update webhook_outbox set leased_until = ${until}, due_at = ${until}
    where id = ${id} and attempts = ${attempts} and leased_until is not null`.execute(db)
}

type Lane = Pick<OutboxEvent, 'webhookId' | 'accountId'>

/** The first event of the account is due, unless it is put off. */
async function advance(db: Db, { webhookId, accountId }: Lane): Promise<void> {
  const first = firstOf(webhookId, sql`${accountId}::int8`)
  await sql`
    update webhook_outbox set due_at = now()
    where id = (select id from (${first}) f where due_at is null)`.execute(db)
}

/**
 * Records that the receiver accepted an event, and removes it. `more`: the number of its parts that were
 * accepted just now, when others are left; the event then stays and is due at once.
 */
export async function acceptEvent(db: Db, event: OutboxEvent, more: number | undefined): Promise<void> {
  if (more === undefined) await dropEvent(db, event)
  else
    await sql`
      update webhook_outbox set sent = ${event.sent + more}, leased_until = null, attempts = 0,
        due_at = now(), failing_since = null, fault = null
      where id = ${event.id} and sent = ${event.sent} and given_up_at is null`.execute(db)
  await sql`
    update webhooks set failures = 0, failing_since = null, fault = null, succeeded_at = now(),
      next_at = now()
    where id = ${event.webhookId} and (failures > 0 or succeeded_at is null
      or succeeded_at < now() - interval '10 seconds')`.execute(db)
}

/** Removes an event of which nothing is left to deliver. Does not count as a success of the receiver. */
export const dropEvent = (db: Db, event: Lane & Pick<OutboxEvent, 'id'>): Promise<void> =>
  inLanes(db, event.webhookId, async (trx) => {
    await sql`delete from webhook_outbox where id = ${event.id}`.execute(trx)
    await advance(trx, event)
  })

interface Failure {
  readonly fault: string
  /** Until the next attempt. Seconds. */
  readonly eventDelay: number
  /** Failures that last longer end deliveries. Seconds. */
  readonly patience: number
}

export interface FailedDelivery extends Failure {
  /** Until the next attempt of the webhook. Seconds. */
  readonly webhookDelay: number
}

/**
 * Records that the receiver did not accept an event. Nothing changes if another process holds the lease.
 * Returns whether the event is given up.
 */
export async function failEvent(
  db: Db,
  event: OutboxEvent,
  { webhookDelay, ...failure }: FailedDelivery,
): Promise<boolean> {
  const since = sql`coalesce(failing_since, now())`
  const isGivenUp = await putOff(db, event, { ...failure, since })
  await sql`
    update webhooks set failures = failures + 1, failing_since = ${since},
      given_up_at = ${endOf(since, failure.patience)},
      fault = ${failure.fault}, next_at = now() + make_interval(secs => ${webhookDelay})
    where id = ${event.webhookId}`.execute(db)
  return isGivenUp
}

const UNREADABLE = 'cannot be written: '

/**
 * Records that the text of an event cannot be made from the tables. Does not count as a failure of the
 * receiver. Returns whether the event is given up; how long that lasts does not include refusals of the
 * receiver.
 */
export const failText = (db: Db, event: OutboxEvent, { fault, ...failure }: Failure): Promise<boolean> =>
  putOff(db, event, {
    ...failure,
    fault: UNREADABLE + fault,
    since: sql`case when starts_with(fault, ${UNREADABLE}) then failing_since else now() end`,
  })

const endOf = (since: RawBuilder<unknown>, patience: number) =>
  sql`case when ${since} < now() - make_interval(secs => ${patience}) then now() end`

/** What is given up stays, and the next event of the account is due. */
const putOff = (
  db: Db,
  event: OutboxEvent,
  { fault, eventDelay, patience, since }: Failure & { readonly since: RawBuilder<unknown> },
): Promise<boolean> =>
  inLanes(db, event.webhookId, async (trx) => {
    const end = endOf(since, patience)
    const { rows } = await sql<{ isGivenUp: boolean }>`
      update webhook_outbox set leased_until = null, failing_since = ${since}, fault = ${fault},
        given_up_at = ${end},
        due_at = case when ${end} is null then now() + make_interval(secs => ${eventDelay}) end
      where id = ${event.id} and attempts = ${event.attempts} and given_up_at is null
      returning given_up_at is not null as "isGivenUp"`.execute(trx)
    await advance(trx, event)
    return rows[0]?.isGivenUp === true
  })

/** Ends the lease of an event that was not sent; another process may send it at once. */
export async function releaseEvent(db: Db, { id, attempts }: OutboxEvent): Promise<void> {
  await sql`
    update webhook_outbox set leased_until = null, attempts = attempts - 1, due_at = now()
    where id = ${id} and attempts = ${attempts} and given_up_at is null`.execute(db)
}

/** A webhook of which later events are not kept. */
export interface SuspendedWebhook {
  readonly id: number
  readonly fullSeqno: McBlockSeqno
}

/**
 * Stops keeping events of webhooks for which more than `most` wait or were given up, and removes those of
 * webhooks that are gone: a batch may have been writing them meanwhile. Returns those that it stopped.
 */
export async function tendOutbox(db: Db, most: number): Promise<readonly SuspendedWebhook[]> {
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
