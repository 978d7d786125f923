import type { AccountId, Lt, McBlockSeqno, Workchain } from '@shardwalk/model'
import { type WalletOfEvent, WEBHOOK_TYPES } from '@shardwalk/tables'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { DueWebhook } from './due-webhooks.ts'
import { inLanes } from './lanes.ts'
import { firstOf, type OutboxEvent } from './outbox-event.ts'

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
/** Time until such actions are examined again. Seconds. */
const CLASSIFIER_POLL = 1
/** Range of lt before an event in which such traces are searched for; about 300 blocks. */
const EARLIER_LT = 300_000_000
/** Events examined in one transaction, and transactions of one claim. */
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
 * they are not examined again before they are the first.
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

/** Ends the lease of an event that was not sent; another process may send it at once. */
export async function releaseEvent(db: Db, { id, attempts }: OutboxEvent): Promise<void> {
  await sql`
    update webhook_outbox set leased_until = null, attempts = attempts - 1, due_at = now()
    where id = ${id} and attempts = ${attempts} and given_up_at is null`.execute(db)
}
