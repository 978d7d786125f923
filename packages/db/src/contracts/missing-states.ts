import { type AccountId, deriveAccountId, type Lt, type RawAddress } from '@shardwalk/model'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { estimatedRows } from '../queries/estimated-rows.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'
import { requeueWaiting } from './naming-queue.ts'
import { endQueueEntries } from './refresh-queue.ts'
import { AGAIN } from './requeue.ts'
import { mergeStateParts, type StatePart } from './state-parts.ts'

/** A contract that cannot be examined now. */
export interface SetAside {
  readonly accountId: AccountId
  readonly queuedLt: Lt
  readonly requeues: number
  /** Number of times it was claimed. */
  readonly attempts: number
  /** The reason, in words. */
  readonly what: string
  readonly part?: StatePart | undefined
  /** The contract whose state is missing, if it is another one; its next state queues this contract again. */
  readonly named?: RawAddress
}

/**
 * Takes contracts out of the queue whose states are not available. They are queued again when a block shows
 * one of them, and regularly where lite servers can be asked.
 */
export async function setAsideContracts(pool: pg.Pool, contracts: readonly SetAside[]): Promise<void> {
  if (contracts.length === 0) return
  const sorted = [...contracts].sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
  await withNumbering(pool, async (client) => {
    await lock(client, 'contracts')
    const naming = sorted.flatMap(({ accountId, named, attempts }) =>
      named ? [{ accountId, named, attempts }] : [],
    )
    const inTime = await postponeAnswered(client, naming)
    const missing = sorted.filter(({ accountId }) => !inTime.has(accountId))
    await endQueueEntries(client, missing)
    await insertMissing(client, missing)
    await client.query(
      `insert into contract_claims (named_id, account_id) select * from unnest($1::int8[], $2::int8[])
        order by 1, 2 on conflict do nothing`,
      [naming.map(({ named }) => deriveAccountId(named)), naming.map(({ accountId }) => accountId)],
    )
    for (const { accountId, part } of sorted) if (part) await mergeStateParts(client, { id: accountId, part })
  })
}

/** A contract whose state is there and nevertheless found incomplete so often is set aside. */
const MAX_ANSWERED = 12

/**
 * Another process may have examined the contract whose state was missing, and looked for those that wait for
 * it, before they were set aside. Such contracts stay in the queue. Returns them.
 */
async function postponeAnswered(
  client: pg.ClientBase,
  naming: readonly (Pick<SetAside, 'accountId' | 'attempts'> & { readonly named: RawAddress })[],
): Promise<ReadonlySet<AccountId>> {
  const candidates = naming.filter(({ attempts }) => attempts < MAX_ANSWERED)
  if (candidates.length === 0) return new Set()
  const { rows } = await client.query<{ account_id: AccountId }>(
    `update refresh_queue q set leased_until = now() + make_interval(secs => ${AGAIN})
     from unnest($1::int8[], $2::int8[]) as n(account_id, named_id)
       join latest_account_states s on s.account_id = n.named_id
     where q.account_id = n.account_id and (
       exists (select from contracts k where k.account_id = s.account_id and s.lt <= k.lt)
       -- Without a role it may have lost its row after it was examined.
       or not exists (select from refresh_queue w where w.account_id = s.account_id)
         and not exists (select from missing_states m where m.account_id = s.account_id))
     returning q.account_id`,
    [candidates.map(({ accountId }) => accountId), candidates.map(({ named }) => deriveAccountId(named))],
  )
  return new Set(rows.map((row) => row.account_id))
}

/**
 * Updates the missing contracts after an examination: only those that still lack something remain. Contracts
 * that wait for an examined one are queued even if it was never missing itself: its state may have been
 * incomplete only while it was queued.
 */
export async function noteMissing(
  client: pg.ClientBase,
  examined: readonly {
    readonly accountId: AccountId
    readonly queuedLt: Lt
    readonly missing?: string
  }[],
): Promise<void> {
  const ids = examined.map((one) => one.accountId)
  await client.query('delete from missing_states where account_id = any ($1::int8[])', [ids])
  await requeueWaiting(client, ids)
  await insertMissing(
    client,
    examined.flatMap((one) => (one.missing ? [{ ...one, what: one.missing }] : [])),
  )
}

async function insertMissing(
  client: pg.ClientBase,
  missing: readonly { readonly accountId: AccountId; readonly queuedLt: Lt; readonly what: string }[],
): Promise<void> {
  if (missing.length === 0) return
  await client.query(
    `insert into missing_states as m (account_id, lt, what) select *
      from unnest($1::int8[], $2::int8[], $3::text[])
     on conflict (account_id) do update set lt = excluded.lt, what = excluded.what, since = now()`,
    [missing.map((one) => one.accountId), missing.map((one) => one.queuedLt), missing.map((one) => one.what)],
  )
}

/** Number of contracts that were set aside: exact up to 10,000, an estimate above. */
export async function countMissingStates(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select ${estimatedRows('missing_states')} as n`.execute(db)
  return rows[0]!.n
}
