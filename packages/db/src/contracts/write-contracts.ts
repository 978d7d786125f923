import { type Detected, type DnsZone, PLAIN_WALLET_CODE_HASHES } from '@shardwalk/contracts'
import type { AccountId, Lt, RawAddress } from '@shardwalk/model'
import { ROLE_TABLES, type RoleTable } from '@shardwalk/tables'
import type pg from 'pg'
import { noteChangedFacts, seeFacts } from '../facts/changed-facts.ts'
import { enqueueWalletEvents, walletsBefore } from '../webhooks/enqueue.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'
import { type AskedContract, readClaims, requeueByChange, updateClaimHashes, writeClaims } from './claims.ts'
import { confirmEvents, readTokens } from './confirm-events.ts'
import { requeueByZones, writeDnsZones } from './dns-zones.ts'
import { type Former, type FormerRows, formerRows, writeFormerContracts } from './former-contracts.ts'
import { type HeldCells, writeHeldCells } from './held-cells.ts'
import { noteMissing } from './missing-states.ts'
import { endQueueEntries } from './refresh-queue.ts'
import type { RoleRow } from './role-row.ts'
import { roleRows } from './role-rows.ts'
import { toJson } from './row-json.ts'

/** The roles of a contract according to one of its states. */
export interface Examined extends HeldCells {
  readonly accountId: AccountId
  readonly address: RawAddress
  /** The queue entry that this result answers. */
  readonly queuedLt: Lt
  readonly requeues: number
  /** lt of the state that was examined. */
  readonly lt: Lt
  readonly codeHash: Buffer | null
  /** Empty when it has none of the roles or is not active. */
  readonly found: readonly Detected[]
  /**
   * For an account that is no longer active: its roles in its last active state, to which its events belong.
   */
  readonly former?: Former
  /** What it answers to contracts that rely on it (`reliedAnswers`). */
  readonly answers?: string
  /** Contracts that were asked. */
  readonly asked: readonly AskedContract[]
  /** Zones known when it was examined; absent if the answer does not depend on them. */
  readonly zonesSeen?: readonly DnsZone[]
  /** Zones of the network's DNS root contract. */
  readonly zones?: readonly DnsZone[]
  /** A library that was not available. It will be looked for again. */
  readonly missing?: string
}

/**
 * Writes the results in one transaction: the newest state wins, a role that a contract no longer has loses
 * its row, and queue entries are removed unless a newer state was queued meanwhile. Any number of processes
 * may write at once, in any order.
 */
export async function writeContracts(pool: pg.Pool, examined: readonly Examined[]): Promise<void> {
  if (examined.length === 0) return
  const inOrder = [...examined].sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
  await withNumbering(pool, async (client, numbering) => {
    // Must be the first lock, because the classifier holds it while it inserts accounts.
    await lock(client, 'facts')
    const sorted = await withoutOutdated(client, inOrder)
    const facts = await seeFacts(
      client,
      sorted.map((one) => one.accountId),
    )
    const rows = sorted.map((one) => ({
      one,
      rows: roleRows(one.found, roleKey(one), numbering.idOf),
      former: one.former && formerRows(one.former, one.accountId, numbering.idOf),
    }))
    await numbering.insert()
    await lock(client, 'contracts')
    const written = await writeNewest(client, rows)
    await requeueDependents(client, written)
    await noteChangedFacts(client, facts)
    await forgetWithoutRole(client, written)
    await endQueueEntries(client, sorted)
    await noteMissing(client, sorted)
  })
}

/** Writes the rows of those contracts of which no newer state was examined, and returns these. */
async function writeNewest(client: pg.ClientBase, rows: readonly Written[]): Promise<readonly Examined[]> {
  const examined = rows.map(({ one }) => one)
  await holdStates(client, examined)
  const before = await readBefore(client, examined)
  const wallets = await walletsBefore(
    client,
    examined.map((one) => one.accountId),
  )
  const newest = await upsertContracts(client, rows)
  const written = rows.filter(({ one }) => newest.has(one.accountId))
  const ids = written.map(({ one }) => one.accountId)
  await writeRoles(
    client,
    written.flatMap((one) => one.rows),
  )
  await removeLostRoles(client, before.roles, written)
  await writeFormerContracts(
    client,
    written.map(({ one, former }) => ({ accountId: one.accountId, former })),
  )
  await enqueueWalletEvents(client, wallets, ids)
  await writeHeldCells(client, { examined, newest })
  await confirmEvents(client, before.tokens, ids)
  await settleOwners(client, before.roles, written)
  return written.map(({ one }) => one)
}

/** Queues the contracts whose roles depend on the written ones. */
async function requeueDependents(client: pg.ClientBase, written: readonly Examined[]): Promise<void> {
  const claims = await readClaims(client, written)
  await writeClaims(client, written, claims)
  await requeueByChange(client, await updateClaimHashes(client, written), claims)
  for (const { zones } of written) if (zones) await writeDnsZones(client, zones)
  await requeueByZones(client, written)
}

/**
 * Until the end, no batch changes these states or brings data of older ones: of two transactions at the same
 * time neither would see which cells the other stores, and both would be kept. In the order of batches.
 */
async function holdStates(client: pg.ClientBase, examined: readonly Examined[]): Promise<void> {
  await client.query(
    `select from latest_account_states where account_id = any ($1::int8[])
     order by account_id for share`,
    [examined.map((one) => one.accountId)],
  )
}

/**
 * Without states that a newer one replaced meanwhile of accounts that have no row any more: no row would
 * refuse them. Their queue entries stay.
 */
async function withoutOutdated(client: pg.ClientBase, examined: readonly Examined[]): Promise<Examined[]> {
  const { rows } = await client.query<{ account_id: AccountId }>(
    `select account_id from unnest($1::int8[], $2::int8[]) as e(account_id, lt)
     join latest_account_states s using (account_id)
     where s.lt > e.lt and (s.code_hash is null or s.code_hash = any ($3::bytea[]))
       and not exists (select from contracts c where c.account_id = e.account_id)`,
    [examined.map((one) => one.accountId), examined.map((one) => one.lt), PLAIN_WALLET_CODE_HASHES],
  )
  const outdated = new Set(rows.map((row) => row.account_id))
  return examined.filter((one) => !outdated.has(one.accountId))
}

/**
 * Plain wallets have no role. They are examined only while their data is not stored, or if they were
 * something else before, so whether they have rows would depend on the order of indexing.
 */
async function forgetWithoutRole(client: pg.ClientBase, written: readonly Examined[]): Promise<void> {
  const ended = written.filter(isForgotten)
  await client.query(
    `delete from contracts where account_id = any ($1::int8[]) and roles = 0
     and (code_hash = any ($2::bytea[]) or account_id = any ($3::int8[]))`,
    [written.map((one) => one.accountId), PLAIN_WALLET_CODE_HASHES, ended.map((one) => one.accountId)],
  )
}

/** It ended and was a plain wallet, or nothing is known of it. */
const isForgotten = (one: Examined): boolean => !one.codeHash && !one.former && !one.missing

interface Written {
  readonly one: Examined
  readonly rows: readonly RoleRow[]
  readonly former: FormerRows | undefined
}

const roleKey = (one: Examined) => ({
  account_id: one.accountId,
  lt: one.lt,
  code_hash: one.codeHash,
  data_hash: one.dataHash,
})

const bitOf = (table: RoleTable): number => 1 << ROLE_TABLES.indexOf(table)
const bitsOf = (rows: readonly RoleRow[]): number => rows.reduce((bits, { table }) => bits | bitOf(table), 0)

interface Before {
  readonly roles: ReadonlyMap<AccountId, number>
  readonly tokens: Awaited<ReturnType<typeof readTokens>>
}

async function readBefore(client: pg.ClientBase, examined: readonly Examined[]): Promise<Before> {
  const ids = examined.map((one) => one.accountId)
  const { rows } = await client.query<{ account_id: AccountId; roles: number }>(
    'select account_id, roles from contracts where account_id = any ($1::int8[])',
    [ids],
  )
  return {
    roles: new Map(rows.map((row) => [row.account_id, row.roles])),
    tokens: await readTokens(client, ids),
  }
}

/** Returns the ids of those without a newer state. */
async function upsertContracts(
  client: pg.ClientBase,
  written: readonly Written[],
): Promise<ReadonlySet<AccountId>> {
  const rows = written.map(({ one, rows }) => ({ ...roleKey(one), roles: bitsOf(rows) }))
  return new Set(await upsert(client, 'contracts', rows))
}

async function writeRoles(client: pg.ClientBase, rows: readonly RoleRow[]): Promise<void> {
  for (const table of ROLE_TABLES) {
    const ofTable = rows.filter((one) => one.table === table).map((one) => one.row)
    if (ofTable.length > 0) await upsert(client, table, ofTable)
  }
}

/** Writes rows as JSON, with one statement per table. Returns the ids of the written rows. */
async function upsert(client: pg.ClientBase, table: string, rows: readonly object[]): Promise<AccountId[]> {
  const columns = Object.keys(rows[0] as object)
  const list = columns.join(', ')
  const updates = columns
    .filter((column) => column !== 'account_id')
    .map((column) => `${column} = excluded.${column}`)
  const result = await client.query<{ account_id: AccountId }>(
    `insert into ${table} as t (${list}) select ${list} from jsonb_populate_recordset(null::${table},
      $1::jsonb) order by account_id
     on conflict (account_id) do update set ${updates.join(', ')} where t.lt <= excluded.lt
       returning account_id`,
    [toJson(rows)],
  )
  return result.rows.map((row) => row.account_id)
}

async function removeLostRoles(
  client: pg.ClientBase,
  before: ReadonlyMap<AccountId, number>,
  written: readonly Written[],
): Promise<void> {
  for (const table of ROLE_TABLES) {
    const lost = written.filter(
      ({ one, rows, former }) => (rolesBefore(before, one, former) & ~bitsOf(rows) & bitOf(table)) !== 0,
    )
    if (lost.length === 0) continue
    await client.query(`delete from ${table} where account_id = any ($1::int8[])`, [
      lost.map(({ one }) => one.accountId),
    ])
  }
}

/** A wallet that was destroyed before it was examined may still have the row of an undeployed one. */
const rolesBefore = (
  before: ReadonlyMap<AccountId, number>,
  { accountId }: Examined,
  former: Written['former'],
) => (before.get(accountId) ?? 0) | (bitsOf(former?.rows ?? []) & bitOf('jetton_wallets'))

/**
 * Sets the real owner of items: the seller while the owner is a sale or an auction of the item. Item and sale
 * may be written in either order, so both cases call this.
 */
async function settleOwners(
  client: pg.ClientBase,
  before: ReadonlyMap<AccountId, number>,
  written: readonly Written[],
): Promise<void> {
  const traded = bitOf('nft_items') | bitOf('nft_sales') | bitOf('nft_auctions')
  const ids = written
    .filter(({ one, rows }) => ((bitsOf(rows) | (before.get(one.accountId) ?? 0)) & traded) !== 0)
    .map(({ one }) => one.accountId)
  if (ids.length === 0) return
  await client.query(
    `update nft_items i set real_owner_id = o.real_owner_id
     from (select i.account_id, coalesce(s.nft_owner_id, a.nft_owner_id, i.owner_id) as real_owner_id
           from nft_items i
           left join nft_sales s on s.account_id = i.owner_id and s.nft_id = i.account_id
           left join nft_auctions a on a.account_id = i.owner_id and a.nft_id = i.account_id
           where i.account_id = any ($1::int8[]) or i.owner_id = any ($1::int8[])) o
     where i.account_id = o.account_id and i.real_owner_id is distinct from o.real_owner_id`,
    [ids],
  )
}
