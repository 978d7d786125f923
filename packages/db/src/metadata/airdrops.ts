import type { AccountId, RawAddress } from '@shardwalk/model'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'
import { inTransaction } from '../writing/transaction.ts'
import { typeNumber } from './token-types.ts'

/** The list of a mintless jetton to be imported. */
export interface AirdropTask {
  readonly jettonId: AccountId
  /** Of the jetton master. */
  readonly address: RawAddress
  /** Null when there is no list any more; imported entries are deleted. */
  readonly root: Buffer | null
  readonly uri: string | null
  /** Increases when the list changes and when the master derives other wallet addresses. */
  readonly importNo: number
  /** Number of entries already written, in the order of the list. */
  readonly done: number
  /** Including this one. */
  readonly attempts: number
}

/**
 * What an owner may claim, and the wallet that would hold it. Amount in the jetton's smallest unit, times in
 * Unix seconds.
 */
export interface AirdropClaim {
  readonly owner: RawAddress
  readonly wallet: RawAddress
  readonly amount: bigint
  readonly startFrom: number
  readonly expiredAt: number
}

/** Maximum number of service addresses taken from a token's document. */
const MAX_URIS = 16

/**
 * Queues airdrop lists: new ones, changed ones, those whose master now derives other wallet addresses, and
 * imported ones whose jetton has no list any more.
 */
export async function sweepAirdrops(db: Db): Promise<void> {
  await queueWanted(db)
  await queueForgotten(db)
}

async function queueWanted(db: Db): Promise<void> {
  await sql`
    with wanted as (
      select m.account_id, m.airdrop_root, c.confirmation_hash,
        d.extra ->> 'mintless_merkle_dump_uri' as dump_uri,
        case jsonb_typeof(d.extra -> 'custom_payload_api_uri')
          when 'string' then array[d.extra ->> 'custom_payload_api_uri']
          when 'array' then array(
            select e #>> '{}' from jsonb_array_elements(d.extra -> 'custom_payload_api_uri') e
              where jsonb_typeof(e) = 'string' limit ${sql.lit(MAX_URIS)})
        end as uris
      from jetton_masters m join contracts c using (account_id)
      join address_metadata d on d.account_id = m.account_id
        and d.type = ${typeNumber('jetton_masters')} and d.valid
      where m.airdrop_root is not null and jsonb_typeof(d.extra -> 'mintless_merkle_dump_uri') = 'string'),
    compared as (
      select w.*, j.jetton_id is not null and (w.airdrop_root, w.confirmation_hash)
        is distinct from (j.airdrop_root, j.confirmation_hash) as is_other,
        j.jetton_id is null or (w.airdrop_root, w.confirmation_hash)
          is distinct from (j.airdrop_root, j.confirmation_hash)
          or (j.imported_at is null and w.dump_uri is distinct from j.dump_uri) as is_due
      from wanted w left join mintless_jettons j on j.jetton_id = w.account_id
      where (w.airdrop_root, w.confirmation_hash, w.dump_uri, w.uris)
        is distinct from (j.airdrop_root, j.confirmation_hash, j.dump_uri, j.custom_payload_api_uri))
    insert into mintless_jettons as j
      (jetton_id, airdrop_root, confirmation_hash, dump_uri, custom_payload_api_uri, due_at)
    select account_id, airdrop_root, confirmation_hash, dump_uri, uris, now() from compared order by 1
    on conflict (jetton_id) do update set airdrop_root = excluded.airdrop_root,
      confirmation_hash = excluded.confirmation_hash, dump_uri = excluded.dump_uri,
      custom_payload_api_uri = excluded.custom_payload_api_uri,
      due_at = case when ${of('is_due')} then now() else j.due_at end,
      attempts = case when ${of('is_due')} then 0 else j.attempts end,
      import_no = j.import_no + case when ${of('is_other')} then 1 else 0 end,
      entries = case when ${of('is_other')} then 0 else j.entries end,
      imported_at = case when ${of('is_other')} then null else j.imported_at end`.execute(db)
}

/** Those that jettons no longer have: their entries are to be deleted. */
async function queueForgotten(db: Db): Promise<void> {
  await sql`
    update mintless_jettons j set airdrop_root = null, due_at = now(), attempts = 0, import_no = import_no + 1
    where airdrop_root is not null
      and not exists (select from jetton_masters m where m.account_id = j.jetton_id
        and m.airdrop_root is not null)`.execute(db)
}

const of = (column: 'is_due' | 'is_other') =>
  sql`(select c.${sql.ref(column)} from compared c where c.account_id = excluded.jetton_id)`

/** Claims one due list for `leaseSeconds`; undefined: none is due. Other processes skip it. */
export async function claimAirdrop(
  db: Db,
  { leaseSeconds }: { readonly leaseSeconds: number },
): Promise<AirdropTask | undefined> {
  const { rows } = await sql<Omit<AirdropTask, 'address' | 'done'> & RawAddress & { readonly done: bigint }>`
    update mintless_jettons j set due_at = now() + make_interval(secs => ${leaseSeconds}),
      attempts = attempts + 1
    from (select jetton_id from mintless_jettons where due_at <= now() order by due_at limit 1
      for update skip locked) due join accounts a on a.id = due.jetton_id
    where j.jetton_id = due.jetton_id
    returning j.jetton_id as "jettonId", j.airdrop_root as root, j.dump_uri as uri, j.import_no as "importNo",
      j.entries as done, j.attempts, a.workchain, a.address as hash`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { workchain, hash, done, ...task } = row
  return { ...task, address: { workchain, hash }, done: Number(done) }
}

type Claimed = Pick<AirdropTask, 'jettonId' | 'importNo' | 'attempts'>

/** Prolongs the lease of a claimed list, unless it has ended. */
export async function prolongAirdrop(db: Db, task: Claimed, leaseSeconds: number): Promise<void> {
  // Never shortens: the list may have been postponed a moment ago.
  await sql`
    update mintless_jettons set due_at = greatest(due_at, now() + make_interval(secs => ${leaseSeconds}))
    where jetton_id = ${task.jettonId} and import_no = ${task.importNo} and attempts = ${task.attempts}
      and due_at > now()`.execute(db)
}

/**
 * Writes the next entries of a list, as wallets that were never deployed, and the progress of the import.
 * Returns false, having written nothing, when another process has the list. Rows of deployed wallets stay
 * unchanged; destroyed wallets get none.
 */
export async function writeAirdrop(
  pool: pg.Pool,
  task: Claimed,
  part: { readonly claims: readonly AirdropClaim[]; readonly done: number },
): Promise<boolean> {
  return await withNumbering(pool, async (client, numbering) => {
    const rows = part.claims.map(({ owner, wallet, ...claim }) => ({
      ...claim,
      ownerId: numbering.idOf(owner),
      walletId: numbering.idOf(wallet),
    }))
    await numbering.insert()
    await lock(client, 'contracts')
    const { rowCount } = await client.query(
      `update mintless_jettons set entries = $4
       where jetton_id = $1 and import_no = $2 and attempts = $3`,
      [task.jettonId, task.importNo, task.attempts, part.done],
    )
    if (rowCount === 0) return false
    await writeClaims(client, task, rows)
    await writeUndeployed(client, task, rows)
    return true
  })
}

type ClaimRow = Omit<AirdropClaim, 'owner' | 'wallet'> & {
  readonly ownerId: bigint
  readonly walletId: bigint
}

/** An entry replaces that of an earlier list. Of a wallet that is listed twice, one entry counts. */
async function writeClaims(client: pg.PoolClient, task: Claimed, rows: readonly ClaimRow[]): Promise<void> {
  await client.query(
    `insert into mintless_claims (wallet_id, owner_id, amount, start_from, expire_at, jetton_id, import_no)
     select distinct on (wallet_id) *, $6::int8, $7::int
       from unnest($1::int8[], $2::int8[], $3::numeric[], $4::int8[], $5::int8[])
       as c(wallet_id, owner_id, amount, start_from, expire_at) order by wallet_id, owner_id
     on conflict (wallet_id) do update set owner_id = excluded.owner_id, amount = excluded.amount,
       start_from = excluded.start_from,
       expire_at = excluded.expire_at, jetton_id = excluded.jetton_id, import_no = excluded.import_no`,
    [
      rows.map((row) => row.walletId),
      rows.map((row) => row.ownerId),
      rows.map((row) => row.amount),
      rows.map((row) => row.startFrom),
      rows.map((row) => row.expiredAt),
      task.jettonId,
      task.importNo,
    ],
  )
}

async function writeUndeployed(
  client: pg.PoolClient,
  { jettonId }: Claimed,
  rows: readonly ClaimRow[],
): Promise<void> {
  await client.query(
    `insert into jetton_wallets (account_id, lt, owner_id, jetton_id, balance)
     select distinct on (wallet_id) wallet_id, 0, owner_id, $3::int8, 0
       from unnest($1::int8[], $2::int8[]) as c(wallet_id, owner_id)
     where not exists (select from former_contracts f where f.account_id = wallet_id)
       order by wallet_id, owner_id
     on conflict (account_id) do nothing`,
    [rows.map((row) => row.walletId), rows.map((row) => row.ownerId), jettonId],
  )
}

/** Entries of all lists that one transaction looks at. */
const LOOKED_AT = 20_000
const FIRST_IMPORT = 1

/**
 * Deletes entries of earlier lists that are not in this one, in short transactions, then ends the import. An
 * interrupted call is continued by the next one.
 */
export async function finishAirdrop(pool: pg.Pool, task: Claimed & Pick<AirdropTask, 'root'>): Promise<void> {
  // Before the first list there was none.
  let after: bigint | null | undefined =
    task.root !== null && task.importNo === FIRST_IMPORT ? undefined : null
  while (after !== undefined) after = await deleteOthers(pool, task, after)
  await pool.query(
    task.root === null
      ? 'delete from mintless_jettons where jetton_id = $1 and import_no = $2 and attempts = $3'
      : `update mintless_jettons set imported_at = now(), due_at = null, attempts = 0, fault = null
         where jetton_id = $1 and import_no = $2 and attempts = $3`,
    [task.jettonId, task.importNo, task.attempts],
  )
}

/**
 * Looks at the entries after a wallet. Returns the last wallet; undefined: there are no more, or another
 * process has the list. Index: primary keys.
 */
async function deleteOthers(
  pool: pg.Pool,
  { jettonId, importNo, attempts, root }: Claimed & Pick<AirdropTask, 'root'>,
  after: bigint | null,
): Promise<bigint | undefined> {
  return inTransaction(pool, async (client) => {
    await lock(client, 'contracts')
    const { rowCount } = await client.query(
      `select from mintless_jettons where jetton_id = $1 and import_no = $2 and attempts = $3 for update`,
      [jettonId, importNo, attempts],
    )
    if (rowCount === 0) return undefined
    const { rows } = await client.query<{ last: bigint | null }>(
      `with page as materialized (
         select wallet_id, jetton_id, import_no from mintless_claims
         where $3::int8 is null or wallet_id > $3 order by wallet_id limit ${LOOKED_AT}
       ), gone as (
         delete from mintless_claims where wallet_id = any (array(
           select wallet_id from page where jetton_id = $1 and import_no <> $2)) returning wallet_id
       ), undeployed as (
         delete from jetton_wallets w using gone where w.account_id = gone.wallet_id and w.code_hash is null
       ) select max(wallet_id) as last from page`,
      [jettonId, root === null ? 0 : importNo, after],
    )
    return rows[0]!.last ?? undefined
  })
}

/**
 * Delays a list that could not be imported; entries already written remain. `isAttempt` is false when nothing
 * was tried.
 */
export async function putOffAirdrop(
  db: Db,
  task: Claimed,
  {
    fault,
    delaySeconds,
    isAttempt,
  }: { readonly fault: string; readonly delaySeconds: number; readonly isAttempt: boolean },
): Promise<void> {
  await sql`
    update mintless_jettons set fault = ${fault}, due_at = now() + make_interval(secs => ${delaySeconds}),
      attempts = attempts - ${isAttempt ? 0 : 1}::int
    where jetton_id = ${task.jettonId} and import_no = ${task.importNo}
      and attempts = ${task.attempts}`.execute(db)
}

/** Numbers of airdrop lists. `failed`: tried and delayed; they count as waiting too. */
export interface AirdropCounts {
  readonly imported: number
  readonly waiting: number
  readonly failed: number
}

/** Counts the lists by state. */
export async function countAirdrops(db: Db): Promise<AirdropCounts> {
  const { rows } = await sql<AirdropCounts>`
    select count(*) filter (where imported_at is not null)::int as imported,
      count(*) filter (where due_at is not null)::int as waiting,
      count(*) filter (where due_at is not null and fault not in ('busy', 'stopped'))::int as failed
    from mintless_jettons`.execute(db)
  return rows[0]!
}
