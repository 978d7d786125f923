import {
  ACCOUNT_STATUS,
  type AccountId,
  type Lt,
  type Nanotons,
  type RawAddress,
  type Workchain,
} from '@shardwalk/model'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { estimatedRows } from '../queries/estimated-rows.ts'

const NONEXIST = ACCOUNT_STATUS.indexOf('nonexist')

/** The newest state of an account as stored. */
export interface StoredContract {
  readonly accountId: AccountId
  readonly address: RawAddress
  readonly lt: Lt
  /** Index into `ACCOUNT_STATUS`. */
  readonly status: number
  /** Nanotons. */
  readonly balance: Nanotons
  /** gen_utime of its block. */
  readonly timestamp: number
  readonly codeHash: Buffer | null
  readonly dataHash: Buffer | null
  /** Bags of cells; null when not stored. */
  readonly code: Buffer | null
  readonly data: Buffer | null
  /** `contracts.confirmation_hash`; null when not examined yet, or not active then. */
  readonly confirmationHash: string | null
}

/** A claimed contract, with its place in the queue. */
export interface QueuedContract extends StoredContract {
  readonly queuedLt: Lt
  /** How often it was queued again while it was in the queue. */
  readonly requeues: number
  /** Number of times it was claimed, including this one. */
  readonly attempts: number
}

interface StoredRow {
  readonly account_id: AccountId
  readonly workchain: Workchain
  readonly address: Buffer
  readonly lt: Lt
  readonly status: number
  readonly balance: Nanotons
  readonly timestamp: number
  readonly code_hash: Buffer | null
  readonly data_hash: Buffer | null
  readonly code: Buffer | null
  readonly data: Buffer | null
  readonly confirmation_hash: string | null
}

const toStored = (row: StoredRow): StoredContract => ({
  accountId: row.account_id,
  address: { workchain: row.workchain, hash: row.address },
  lt: row.lt,
  status: row.status,
  balance: row.balance,
  timestamp: row.timestamp,
  codeHash: row.code_hash,
  dataHash: row.data_hash,
  code: row.code,
  data: row.data,
  confirmationHash: row.confirmation_hash,
})

const STORED = sql`
  s.account_id, a.workchain, a.address, s.lt, s.status, s.balance, s.timestamp, s.code_hash, s.data_hash,
  c.boc as code, coalesce(d.boc, r.boc) as data, k.confirmation_hash
  from latest_account_states s
  join accounts a on a.id = s.account_id
  left join codes c on c.code_hash = s.code_hash
  left join account_data d on d.account_id = s.account_id and d.data_hash = s.data_hash
  left join contract_data r on r.account_id = s.account_id and r.data_hash = s.data_hash
  left join contracts k on k.account_id = s.account_id`

/** Newest states of accounts; those never seen are absent. Index: primary keys. */
export async function loadContracts(db: Db, ids: readonly AccountId[]): Promise<StoredContract[]> {
  const { rows } = await sql<StoredRow>`select ${STORED} where s.account_id = any (${ids}::int8[])`.execute(
    db,
  )
  return rows.map(toStored)
}

/**
 * Claims up to `limit` accounts to examine for `leaseSeconds`, those with the newest states first. Other
 * processes skip them until the lease ends. A quarter of the places is for leases that have ended, so that a
 * long queue does not keep failed examinations waiting. Both parts follow an index, whatever the length of
 * the queue. Indexes: refresh_queue_fresh, refresh_queue_leased.
 */
export async function claimContracts(
  db: Db,
  { limit, leaseSeconds }: { readonly limit: number; readonly leaseSeconds: number },
): Promise<QueuedContract[]> {
  const claimed = await sql<QueueRow>`
    with again as materialized (
      select account_id from refresh_queue where leased_until < now()
      order by leased_until limit ${Math.ceil(limit / 4)} for update skip locked
    ), fresh as materialized (
      select account_id from refresh_queue where leased_until is null
      order by lt desc limit ${limit} for update skip locked
    )
    update refresh_queue q set leased_until = now() + make_interval(secs => ${leaseSeconds}),
      attempts = q.attempts + 1
    where q.account_id = any (array(
      select account_id from again union all select account_id from fresh limit ${limit}))
    returning q.account_id, q.lt, q.requeues, q.attempts`.execute(db)
  if (claimed.rows.length === 0) return []
  const entries = new Map(claimed.rows.map((row) => [row.account_id, row]))
  const ids = [...entries.keys()]
  const stored = await loadContracts(db, ids)
  const found = new Set(stored.map((one) => one.accountId))
  const stateless = await loadStateless(
    db,
    ids.filter((id) => !found.has(id)),
  )
  return [...stored, ...stateless].map((one) => {
    const { lt, requeues, attempts } = entries.get(one.accountId) as QueueRow
    return { ...one, queuedLt: lt, requeues, attempts }
  })
}

/**
 * Prolongs the leases of claimed accounts, unless they have ended and another process has the account, or it
 * was queued again. Skips rows that are locked.
 */
export async function prolongContracts(
  db: Db,
  queued: readonly Pick<QueuedContract, 'accountId' | 'attempts'>[],
  leaseSeconds: number,
): Promise<void> {
  const [ids, attempts] = [queued.map((one) => one.accountId), queued.map((one) => one.attempts)]
  await sql`
    update refresh_queue q set leased_until = now() + make_interval(secs => ${leaseSeconds})
    from (select r.account_id from refresh_queue r
          join unnest(${ids}::int8[], ${attempts}::int[]) as c(account_id, attempts)
            using (account_id, attempts)
          where r.leased_until is not null for update of r skip locked) mine
    where q.account_id = mine.account_id`.execute(db)
}

/** Accounts that only false blocks had, which were repaired. */
async function loadStateless(db: Db, ids: readonly AccountId[]): Promise<StoredContract[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Pick<StoredRow, 'account_id' | 'workchain' | 'address'>>`
    select id as account_id, workchain, address from accounts where id = any (${ids}::int8[])`.execute(db)
  return rows.map((row) =>
    toStored({
      ...row,
      lt: 0n,
      status: NONEXIST,
      balance: 0n,
      timestamp: 0,
      confirmation_hash: null,
      code_hash: null,
      data_hash: null,
      code: null,
      data: null,
    }),
  )
}

interface QueueRow {
  readonly account_id: AccountId
  readonly lt: Lt
  readonly requeues: number
  readonly attempts: number
}

/**
 * The last active state of an account at the end of a block; undefined when none is indexed. Index: primary
 * key of transactions.
 */
export async function loadFormerState(db: Db, one: StoredContract): Promise<StoredContract | undefined> {
  const { rows } = await sql<StoredRow>`
    select t.account_id, a.workchain, a.address, t.lt, t.end_status as status, t.balance_after as balance,
      t.now as timestamp,
      t.code_hash_after as code_hash, t.data_hash_after as data_hash, c.boc as code,
        coalesce(d.boc, r.boc) as data, null::uuid as confirmation_hash
    from (select * from transactions where account_id = ${one.accountId} and code_hash_after is not null
      order by lt desc limit 1) t
    join accounts a on a.id = t.account_id
    left join codes c on c.code_hash = t.code_hash_after
    left join account_data d on d.account_id = t.account_id and d.data_hash = t.data_hash_after
    left join contract_data r on r.account_id = t.account_id and r.data_hash = t.data_hash_after`.execute(db)
  return rows[0] && toStored(rows[0])
}

/**
 * Number of accounts and batches that wait: exact up to 10,000, an estimate above. Contracts whose
 * naming contracts are still being queued count as one each.
 */
export async function countRefreshQueue(
  db: Db,
): Promise<{ readonly accounts: number; readonly batches: number }> {
  const { rows } = await sql<{ accounts: number; batches: number }>`
    select ${estimatedRows('refresh_queue')} + ${estimatedRows('naming_queue')} as accounts,
      ${estimatedRows('event_queue')} as batches`.execute(db)
  return rows[0]!
}

/**
 * Ends the lease of an account that could not be examined; the next attempt is due after a second, doubled
 * with each attempt, five minutes at most.
 */
export async function postponeContract(db: Db, id: AccountId): Promise<void> {
  await sql`
    update refresh_queue set leased_until = now() + make_interval(secs => least(300,
      power(2, least(attempts - 1, 10))))
    where account_id = ${id} and leased_until is not null`.execute(db)
}

/**
 * Removes answered entries, unless a newer state was queued meanwhile or something that the answer depends on
 * has changed.
 */
export async function endQueueEntries(
  client: pg.ClientBase,
  answered: readonly Pick<QueuedContract, 'accountId' | 'queuedLt' | 'requeues'>[],
): Promise<void> {
  await client.query(
    `delete from refresh_queue q using (
       select r.account_id from refresh_queue r
       join unnest($1::int8[], $2::int8[], $3::int[]) as d(account_id, lt, requeues) using (account_id)
       where r.lt <= d.lt and r.requeues = d.requeues order by r.account_id for update of r) gone
     where q.account_id = gone.account_id`,
    [
      answered.map((one) => one.accountId),
      answered.map((one) => one.queuedLt),
      answered.map((one) => one.requeues),
    ],
  )
}
