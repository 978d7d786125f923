import { Builder, Cell, parseRoot, prunedBranch, serializeBoc } from '@shardwalk/cells'
import { type DatabaseHandle, readDnsZones, storeDnsZones } from '@shardwalk/db'
import type { AccountId, Lt } from '@shardwalk/model'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { endLeases, examinedChain, RecordedNetwork, refreshAll } from '@shardwalk/testkit/refresh-chain'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/** An item depends on its collection beyond what the collection's own row shows. */
const COLLECTION = 'https://example.test/nft/collection.json'

let network: RecordedNetwork
let scratch: ScratchDatabase
let collection: AccountId

beforeAll(async () => {
  network = await RecordedNetwork.open()
  scratch = await examinedChain()
  const { rows } = await sql<{ id: AccountId }>`
    select account_id as id from nft_collections where content->>'uri' = ${COLLECTION}`.execute(scratch.db)
  collection = rows[0]!.id
})
afterAll(async () => {
  await scratch.close()
  await network.close()
})

const commonContent = (text: string): Cell => new Builder().storeBytes(Buffer.from(text)).endCell()

/** The collection's data with another common content: data = owner, next index, (own, common), ... */
async function dataWith(common: Cell): Promise<Cell> {
  const { rows } = await sql<{ boc: Buffer }>`
    select boc from contract_data where account_id = ${collection}`.execute(scratch.db)
  const root = parseRoot(rows[0]!.boc)
  const [content, ...others] = root.refs as [Cell, ...Cell[]]
  const changed = Cell.unchecked(content.type, content.data, content.bits, [content.refs[0]!, common])
  return Cell.unchecked(root.type, root.data, root.bits, [changed, ...others])
}

/** As if a block had changed the common content alone. */
async function changeCommonContent(text: string): Promise<void> {
  const data = await dataWith(commonContent(text))
  const id = collection
  await sql`update contract_data set boc = ${serializeBoc(data)}, data_hash = ${data.hash()}, lt = lt + 1
    where account_id = ${id}`.execute(scratch.db)
  await sql`update latest_account_states set data_hash = ${data.hash()}, lt = lt + 1
    where account_id = ${id}`.execute(scratch.db)
  await queue([id])
}

const queue = (ids: readonly AccountId[]) =>
  sql`insert into refresh_queue (account_id, lt)
    select account_id, lt from latest_account_states where account_id = any (${ids}::int8[])`.execute(
    scratch.db,
  )

async function items(): Promise<{ id: AccountId; lt: Lt; uri: string }[]> {
  const { rows } = await sql<{ id: AccountId; lt: Lt; uri: string }>`
    select account_id as id, lt, content->>'uri' as uri from nft_items where collection_id = ${collection}
    order by item_index`.execute(scratch.db)
  return rows
}

/** A database whose writes of examined contracts wait. */
function withHeldWrites({ db, pool }: DatabaseHandle) {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const connect = async () => {
    const { rows } = await sql`select from refresh_queue where leased_until is not null`.execute(db)
    if (rows.length > 0) {
      arrive()
      await released
    }
    return pool.connect()
  }
  const held = new Proxy(pool, {
    get(target, key) {
      if (key === 'connect') return connect
      const value = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { database: { ...scratch, db, pool: held } as DatabaseHandle, arrived, release: () => release() }
}

/** As if a block had changed it and left the common content out, as known before. */
async function hideCommonContent(common: Cell): Promise<void> {
  const data = await dataWith(common)
  const part = serializeBoc(await dataWith(prunedBranch(common, 1)))
  const id = collection
  await sql`update latest_account_states set data_hash = ${data.hash()}, lt = lt + 1
    where account_id = ${id}`.execute(scratch.db)
  await sql`insert into state_parts (account_id, lt, mc_seqno, boc)
    select account_id, lt, mc_seqno, ${part} from latest_account_states where account_id = ${id}`.execute(
    scratch.db,
  )
  await queue([id])
}

async function reasons(): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`select what from missing_states`.execute(scratch.db)
  return rows.map(({ what }) => what)
}

async function untilDone(refresher: ReturnType<typeof network.refresher>): Promise<void> {
  await endLeases(scratch)
  await refreshAll(refresher)
}

test('items are examined again when only the common content of their collection changes', async () => {
  const refresher = network.refresher(scratch)
  await changeCommonContent('https://example.test/moved/')
  await untilDone(refresher)
  const uris = (await items()).map(({ uri }) => uri)
  expect(uris.length).toBe(25)
  expect(uris.filter((uri) => !uri.startsWith('https://example.test/moved/'))).toEqual([])
  await refresher.close()
})

test('an item examined while another worker writes its changed collection is examined again', async () => {
  const held = withHeldWrites(scratch)
  const [slow, fast] = [network.refresher(held.database), network.refresher(scratch)]
  await refreshAll(fast)
  const [item] = await items()
  await queue([item!.id])
  const round = slow.round()
  await held.arrived
  await changeCommonContent('https://example.test/raced/')
  await fast.round()
  held.release()
  await round
  await untilDone(fast)
  expect((await items())[0]!.uri).toMatch(/^https:\/\/example\.test\/raced\//)
  await Promise.all([slow.close(), fast.close()])
})

test('leases of contracts are prolonged while they are examined', async () => {
  const held = withHeldWrites(scratch)
  const states = { states: undefined, lease: { seconds: 60, prolongAfterMs: 1 } }
  const refresher = network.refresher(held.database, states)
  const [item] = await items()
  await queue([item!.id])
  const ends = async () => {
    const { rows } = await sql<{
      ends: string
    }>`select leased_until::text as ends from refresh_queue`.execute(scratch.db)
    return rows.map(({ ends }) => ends)
  }
  const round = refresher.round()
  await held.arrived
  const [first] = await ends()
  await vi.waitUntil(async () => (await ends())[0]! > first!, { timeout: 10_000 })
  held.release()
  await round
  expect(await ends()).toEqual([])
  await refresher.close()
})

test('a state that lacks a cell is completed once the cell is stored as a code', async () => {
  const files = network.refresher(scratch, { states: undefined })
  const common = commonContent('https://example.test/late/')
  await hideCommonContent(common)
  await untilDone(files)
  const [reason] = await reasons()
  expect(reason).toContain(`cell ${common.hash().toString('hex')} of the state of 0:`)
  await sql`insert into codes (code_hash, boc) values (${common.hash()}, ${serializeBoc(common)})`.execute(
    scratch.db,
  )
  await untilDone(files)
  expect(await reasons()).toEqual([])
  expect((await items()).filter(({ uri }) => !uri.startsWith('https://example.test/late/'))).toEqual([])
  await files.close()
})

test('an item examined before its collection is a zone and written after is examined again', async () => {
  const held = withHeldWrites(scratch)
  const [slow, fast] = [network.refresher(held.database), network.refresher(scratch)]
  // Afterwards neither reads the zones of the root by itself.
  await refreshAll(slow)
  await refreshAll(fast)
  const zones = await readDnsZones(scratch.db)
  const { rows } = await sql<{ id: AccountId; domain: string }>`
    select account_id as id, domain from dns_entries join nft_items using (account_id)
    where domain like '%.ton' order by account_id limit 1`.execute(scratch.db)
  const { id, domain } = rows[0]!
  // Without a row of its own, the worker that writes the zone cannot find it.
  for (const table of ['dns_entries', 'nft_items', 'contracts'])
    await sql`delete from ${sql.table(table)} where account_id = ${id}`.execute(scratch.db)
  await sql`delete from dns_zones`.execute(scratch.db)
  await queue([id])
  const round = slow.round()
  await held.arrived
  const root = { workchain: -1, hash: Buffer.alloc(32, 0xee) }
  await storeDnsZones(scratch.pool, { root, lt: 1n, zones })
  held.release()
  await round
  await untilDone(fast)
  const found = await sql<{ domain: string }>`
    select domain from dns_entries where account_id = ${id}`.execute(scratch.db)
  expect(found.rows).toEqual([{ domain }])
  await Promise.all([slow.close(), fast.close()])
})
