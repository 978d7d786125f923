import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { releaseEvent } from './claim-events.ts'
import { inLanes } from './lanes.ts'
import { firstOf, type OutboxEvent } from './outbox-event.ts'

type Lane = Pick<OutboxEvent, 'webhookId' | 'accountId'>

/** The first event of the account is due, unless it is postponed. */
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

/** A failure, and when event and webhook are tried again. */
export interface FailedDelivery extends Failure {
  /** Until the next attempt of the webhook. Seconds. */
  readonly webhookDelay: number
  /**
   * Attempts of the event, and failures of the webhook in a row, before which deliveries do not end. A clock
   * that jumps ahead makes a failure look long, but not frequent. Default 1.
   */
  readonly leastAttempts?: number
  readonly leastFailures?: number
  /** Where it was sent: if the webhook was moved since, the event is due at once. Default: its URL. */
  readonly sentTo?: string
}

/**
 * Records that the receiver did not accept an event. Nothing changes if another process holds the lease.
 * Returns whether the event is given up.
 */
export async function failEvent(
  db: Db,
  event: OutboxEvent,
  { webhookDelay, leastAttempts = 1, leastFailures = 1, sentTo, ...failure }: FailedDelivery,
): Promise<boolean> {
  const since = sql`coalesce(failing_since, now())`
  const where = sql`id = ${event.webhookId} and url = coalesce(${sentTo ?? null}, url)`
  const isGivenUp = await inLanes(db, event.webhookId, async (trx) => {
    const { rows } = await sql`select from webhooks where ${where}`.execute(trx)
    if (rows.length > 0) return putOff(trx, event, { ...failure, since, leastAttempts })
    await releaseEvent(trx, event)
    return false
  })
  await sql`
    update webhooks set failures = failures + 1, failing_since = ${since},
      given_up_at = case when failures + 1 >= ${leastFailures} then ${endOf(since, failure.patience)} end,
      fault = ${failure.fault}, next_at = now() + make_interval(secs => ${webhookDelay})
    where ${where}`.execute(db)
  return isGivenUp
}

const UNREADABLE = 'cannot be written: '

/**
 * Records that the text of an event cannot be made from the tables. Does not count as a failure of the
 * receiver. Returns whether the event is given up; how long that lasts does not include refusals of the
 * receiver.
 */
export const failText = (db: Db, event: OutboxEvent, { fault, ...failure }: Failure): Promise<boolean> =>
  inLanes(db, event.webhookId, (trx) =>
    putOff(trx, event, {
      ...failure,
      fault: UNREADABLE + fault,
      since: sql`case when starts_with(fault, ${UNREADABLE}) then failing_since else now() end`,
      leastAttempts: 1,
    }),
  )

const endOf = (since: RawBuilder<unknown>, patience: number) =>
  sql`case when ${since} < now() - make_interval(secs => ${patience}) then now() end`

interface PutOff extends Failure {
  readonly since: RawBuilder<unknown>
  readonly leastAttempts: number
}

/** What is given up stays, and the next event of the account is due. Within `inLanes`. */
async function putOff(
  trx: Db,
  event: OutboxEvent,
  { fault, eventDelay, patience, since, leastAttempts }: PutOff,
): Promise<boolean> {
  const end = event.attempts >= leastAttempts ? endOf(since, patience) : sql`null::timestamptz`
  const { rows } = await sql<{ isGivenUp: boolean }>`
    update webhook_outbox set leased_until = null, failing_since = ${since}, fault = ${fault},
      given_up_at = ${end},
      due_at = case when ${end} is null then now() + make_interval(secs => ${eventDelay}) end
    where id = ${event.id} and attempts = ${event.attempts} and given_up_at is null
    returning given_up_at is not null as "isGivenUp"`.execute(trx)
  await advance(trx, event)
  return rows[0]?.isGivenUp === true
}
