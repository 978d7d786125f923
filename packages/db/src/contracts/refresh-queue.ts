import type { AccountId, RawAddress } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { findAccountIds } from '../queries/accounts.ts'

/** The newest state of an account as the tables hold it. */
export interface StoredContract {
  readonly accountId: AccountId
  readonly address: RawAddress
  readonly lt: bigint
  /** Index into `ACCOUNT_STATUS`. */
  readonly status: number
  /** Nanotons. */
  readonly balance: bigint
  /** gen_utime of its block. */
  readonly timestamp: number
  readonly codeHash: Buffer | null
  readonly dataHash: Buffer | null
  /** Bags of cells; null: not stored. */
  readonly code: Buffer | null
  readonly data: Buffer | null
}

export interface QueuedContract extends StoredContract {
  readonly queuedLt: bigint
}

interface StoredRow {
  readonly account_id: bigint
  readonly workchain: number
  readonly address: Buffer
  readonly lt: bigint
  readonly status: number
  readonly balance: bigint
  readonly timestamp: number
  readonly code_hash: Buffer | null
  readonly data_hash: Buffer | null
  readonly code: Buffer | null
  readonly data: Buffer | null
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
})

const STORED = sql`
  s.account_id, a.workchain, a.address, s.lt, s.status, s.balance, s.timestamp, s.code_hash, s.data_hash,
  c.boc as code, coalesce(d.boc, r.boc) as data
  from latest_account_states s
  join accounts a on a.id = s.account_id
  left join codes c on c.code_hash = s.code_hash
  left join account_data d on d.account_id = s.account_id and d.data_hash = s.data_hash
  left join contract_data r on r.account_id = s.account_id and r.data_hash = s.data_hash`

/** Newest states of accounts; those never seen are absent. Index: primary keys. */
export async function loadContracts(db: Db, ids: readonly AccountId[]): Promise<StoredContract[]> {
  const { rows } = await sql<StoredRow>`select ${STORED} where s.account_id = any (${ids}::int8[])`.execute(db)
  return rows.map(toStored)
}

/**
 * Takes up to `limit` accounts to examine, for `leaseSeconds`: other processes pass them by, and get them when the lease ends because this
 * process died.
 */
export async function claimContracts(
  db: Db,
  { limit, leaseSeconds }: { readonly limit: number; readonly leaseSeconds: number },
): Promise<QueuedContract[]> {
  const claimed = await sql<{ account_id: bigint; lt: bigint }>`
    update refresh_queue q set leased_until = now() + make_interval(secs => ${leaseSeconds}), attempts = q.attempts + 1
    from (select account_id from refresh_queue where leased_until is null or leased_until < now()
          order by attempts, lt desc limit ${limit} for update skip locked) free
    where q.account_id = free.account_id returning q.account_id, q.lt`.execute(db)
  if (claimed.rows.length === 0) return []
  const lts = new Map(claimed.rows.map((row) => [row.account_id, row.lt]))
  const stored = await loadContracts(db, [...lts.keys()])
  return stored.map((one) => ({ ...one, queuedLt: lts.get(one.accountId) as bigint }))
}

/** Accounts and batches that wait. */
export async function countRefreshQueue(db: Db): Promise<{ readonly accounts: number; readonly batches: number }> {
  const { rows } = await sql<{ accounts: bigint; batches: bigint }>`
    select (select count(*) from refresh_queue) as accounts, (select count(*) from event_queue) as batches`.execute(db)
  return { accounts: Number(rows[0]?.accounts ?? 0n), batches: Number(rows[0]?.batches ?? 0n) }
}

/** Has the items of collections examined again: what they are depends on the collection. Index: nft_items_collection. */
export async function requeueItems(db: Db, collections: readonly RawAddress[]): Promise<void> {
  if (collections.length === 0) return
  const ids = await findAccountIds(db, collections)
  await sql`
    insert into refresh_queue (account_id, lt)
    select account_id, lt from nft_items where collection_id = any (${[...ids.values()]}::int8[]) order by account_id
    on conflict (account_id) do nothing`.execute(db)
}

/** Ends the lease of an account that could not be examined: after a second, then twice as long each time, five minutes at most. */
export async function postponeContract(db: Db, id: AccountId): Promise<void> {
  await sql`
    update refresh_queue set leased_until = now() + make_interval(secs => least(300, power(2, least(attempts - 1, 10))))
    where account_id = ${id} and leased_until is not null`.execute(db)
}
