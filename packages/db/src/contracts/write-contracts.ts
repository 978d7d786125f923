import type { Detected } from '@shardwalk/contracts'
import type { AccountId, RawAddress } from '@shardwalk/model'
import type pg from 'pg'
import { noteChangedFacts, seeFacts } from '../actions/changed-facts.ts'
import { lock } from '../sink/locks.ts'
import { ROLE_TABLES, type RoleTable } from '../tables/contracts.ts'
import { withNumbering } from './account-list.ts'
import { type RoleRow, roleRows } from './role-rows.ts'

/** What a contract is by one of its states. */
export interface Examined {
  readonly accountId: AccountId
  readonly address: RawAddress
  /** lt of the queue entry that this answers. */
  readonly queuedLt: bigint
  /** lt of the state that was examined. */
  readonly lt: bigint
  readonly codeHash: Buffer | null
  readonly dataHash: Buffer | null
  /** Empty: none of the roles, or not active. */
  readonly found: readonly Detected[]
  /** Get-methods of the code where they are known. */
  readonly methods?: readonly number[]
  /** Complete cells that the batches did not bring. */
  readonly data?: Buffer
  readonly code?: Buffer
}

/**
 * Writes what was found, in one transaction: rows of the newest state win, roles that a contract no longer has lose their row, queue entries
 * go unless a newer state was queued meanwhile. Any number of processes may write at once, in any order.
 */
export async function writeContracts(pool: pg.Pool, examined: readonly Examined[]): Promise<void> {
  if (examined.length === 0) return
  const sorted = [...examined].sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
  await withNumbering(pool, async (client, numbering) => {
    // First of all locks: the classifier holds it while it inserts accounts.
    await lock(client, 'facts')
    const facts = await seeFacts(
      client,
      sorted.map((one) => one.accountId),
    )
    const rows = sorted.map((one) => ({ one, rows: roleRows(one.found, roleKey(one), numbering.idOf) }))
    await numbering.insert()
    await lock(client, 'contracts')
    const before = await readRoles(client, sorted)
    const newest = await upsertContracts(client, rows)
    const written = rows.filter(({ one }) => newest.has(one.accountId))
    await requeueItemsOfChanged(client, written)
    await writeRoles(
      client,
      written.flatMap(({ rows }) => rows),
    )
    await removeLostRoles(client, before, written)
    await writeParts(client, sorted)
    await confirmEvents(client, written, before)
    await settleOwners(client, written)
    await noteChangedFacts(client, facts)
    await client.query(
      `delete from refresh_queue q using (
         select r.account_id, r.lt from refresh_queue r join unnest($1::int8[], $2::int8[]) as d(account_id, lt) using (account_id)
         where r.lt <= d.lt order by r.account_id for update of r) gone
       where q.account_id = gone.account_id and q.lt = gone.lt`,
      [sorted.map((one) => one.accountId), sorted.map((one) => one.queuedLt)],
    )
  })
}

interface Written {
  readonly one: Examined
  readonly rows: readonly RoleRow[]
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
  readonly roles: number
  readonly jettonId: AccountId | null
}

async function readRoles(client: pg.ClientBase, examined: readonly Examined[]): Promise<Map<AccountId, Before>> {
  const { rows } = await client.query<{ account_id: bigint; roles: number; jetton_id: bigint | null }>(
    `select c.account_id, c.roles, w.jetton_id from contracts c left join jetton_wallets w using (account_id)
     where c.account_id = any ($1::int8[])`,
    [examined.map((one) => one.accountId)],
  )
  return new Map(rows.map((row) => [row.account_id, { roles: row.roles, jettonId: row.jetton_id }]))
}

/** Ids of those that no newer state stands in the way of. */
async function upsertContracts(client: pg.ClientBase, written: readonly Written[]): Promise<ReadonlySet<AccountId>> {
  const rows = written.map(({ one, rows }) => ({ ...roleKey(one), roles: bitsOf(rows) }))
  return new Set(await upsert(client, 'contracts', rows))
}

async function writeRoles(client: pg.ClientBase, rows: readonly RoleRow[]): Promise<void> {
  for (const table of ROLE_TABLES) {
    const ofTable = rows.filter((one) => one.table === table).map((one) => one.row)
    if (ofTable.length > 0) await upsert(client, table, ofTable)
  }
}

/** Rows as JSON: one statement a table, whatever its columns. Returns the ids of the rows that it wrote. */
async function upsert(client: pg.ClientBase, table: string, rows: readonly object[]): Promise<AccountId[]> {
  const columns = Object.keys(rows[0] as object)
  const list = columns.join(', ')
  const updates = columns.filter((column) => column !== 'account_id').map((column) => `${column} = excluded.${column}`)
  const result = await client.query<{ account_id: bigint }>(
    `insert into ${table} as t (${list}) select ${list} from jsonb_populate_recordset(null::${table}, $1::jsonb) order by account_id
     on conflict (account_id) do update set ${updates.join(', ')} where t.lt <= excluded.lt returning account_id`,
    [toJson(rows)],
  )
  return result.rows.map((row) => row.account_id)
}

/** jsonb has no NUL characters; contracts may give some. */
function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, given) {
    // Buffer has a toJSON of its own, which ran before.
    const original = this[key]
    if (Buffer.isBuffer(original)) return `\\x${original.toString('hex')}`
    if (typeof given === 'bigint') return String(given)
    return typeof given === 'string' ? given.replaceAll('\0', '') : given
  })
}

/** What an item is depends on its collection's content and code: items of one that changed are examined again. Index: nft_items_collection. */
async function requeueItemsOfChanged(client: pg.ClientBase, written: readonly Written[]): Promise<void> {
  const collections = written.flatMap(({ rows }) => rows).filter(({ table }) => table === 'nft_collections')
  if (collections.length === 0) return
  await client.query(
    `insert into refresh_queue (account_id, lt)
     select i.account_id, i.lt from nft_items i
     join nft_collections n on n.account_id = i.collection_id
     join jsonb_populate_recordset(null::nft_collections, $1::jsonb) c on c.account_id = n.account_id
     where n.content is distinct from c.content or n.code_hash is distinct from c.code_hash
     order by i.account_id on conflict (account_id) do nothing`,
    [toJson(collections.map(({ row }) => row))],
  )
}

async function removeLostRoles(
  client: pg.ClientBase,
  before: ReadonlyMap<AccountId, Before>,
  written: readonly Written[],
): Promise<void> {
  for (const table of ROLE_TABLES) {
    const lost = written.filter(
      ({ one, rows }) => ((before.get(one.accountId)?.roles ?? 0) & ~bitsOf(rows) & bitOf(table)) !== 0,
    )
    if (lost.length === 0) continue
    await client.query(`delete from ${table} where account_id = any ($1::int8[])`, [
      lost.map(({ one }) => one.accountId),
    ])
  }
}

/** Code, get-methods and data: what the API shows of any account. */
async function writeParts(client: pg.ClientBase, examined: readonly Examined[]): Promise<void> {
  const coded = unique(examined.filter((one) => one.code && one.codeHash))
  if (coded.length > 0)
    await client.query(
      'insert into codes (code_hash, boc) select * from unnest($1::bytea[], $2::bytea[]) on conflict (code_hash) do nothing',
      [coded.map((one) => one.codeHash), coded.map((one) => one.code)],
    )
  for (const one of unique(examined.filter((other) => other.methods && other.codeHash)))
    await client.query(
      'insert into contract_methods (code_hash, methods) values ($1, $2) on conflict (code_hash) do nothing',
      [one.codeHash, one.methods],
    )
  const withData = examined.filter((one) => one.data && one.dataHash)
  if (withData.length === 0) return
  await client.query(
    `insert into contract_data as t (account_id, lt, data_hash, boc)
     select * from unnest($1::int8[], $2::int8[], $3::bytea[], $4::bytea[])
     on conflict (account_id) do update set lt = excluded.lt, data_hash = excluded.data_hash, boc = excluded.boc where t.lt <= excluded.lt`,
    [
      withData.map((one) => one.accountId),
      withData.map((one) => one.lt),
      withData.map((one) => one.dataHash),
      withData.map((one) => one.data),
    ],
  )
}

/** One for each code hash, in order of hashes so that writers wait for each other in one direction. */
function unique(examined: readonly Examined[]): Examined[] {
  const byCode = new Map(examined.map((one) => [one.codeHash?.toString('hex') ?? '', one]))
  return [...byCode].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** Events of wallets and items that became known, or that belong to another jetton or collection now. */
async function confirmEvents(
  client: pg.ClientBase,
  written: readonly Written[],
  before: ReadonlyMap<AccountId, Before>,
): Promise<void> {
  const has = (table: RoleTable, one: Examined) => ((before.get(one.accountId)?.roles ?? 0) & bitOf(table)) !== 0
  const wallets: AccountId[] = []
  const items: AccountId[] = []
  for (const { one, rows } of written)
    for (const role of rows) {
      if (role.table === 'jetton_wallets') {
        const known = has('jetton_wallets', one) && before.get(one.accountId)?.jettonId === role.row.jetton_id
        if (!known) wallets.push(one.accountId)
      }
      if (role.table === 'nft_items' && !has('nft_items', one)) items.push(one.accountId)
    }
  for (const table of ['jetton_transfers', 'jetton_burns'])
    if (wallets.length > 0)
      await client.query(
        `update ${table} e set confirmed = true, jetton_id = w.jetton_id from jetton_wallets w
         where e.account_id = w.account_id and w.account_id = any ($1::int8[])`,
        [wallets],
      )
  if (items.length > 0)
    await client.query(
      `update nft_transfers e set confirmed = true, collection_id = i.collection_id from nft_items i
       where e.account_id = i.account_id and i.account_id = any ($1::int8[])`,
      [items],
    )
}

/**
 * Who really owns an item: the seller while the owner is a sale or an auction of this item. Either may be written first, so both sides
 * settle it.
 */
async function settleOwners(client: pg.ClientBase, written: readonly Written[]): Promise<void> {
  const ids = written
    .filter(({ rows }) =>
      rows.some(({ table }) => table === 'nft_items' || table === 'nft_sales' || table === 'nft_auctions'),
    )
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
