import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseBoc } from '@shardwalk/cells'
import { countRefreshQueue, type EncodedBatch, writeContracts } from '@shardwalk/db'
import { ACCOUNT_STATUS } from '@shardwalk/model'
import type { ArchiveSource } from '@shardwalk/sources'
import {
  FIXTURE_CHAIN_FOLDER,
  randomFrom,
  type ScratchDatabase,
  scratchDatabase,
  shuffled,
} from '@shardwalk/testkit'
import {
  abandonSome,
  checksumsOfAll,
  classifyAll,
  commitGroups,
  endLeases,
  examinedChain,
  inGroups,
  RecordedNetwork,
  refreshAll,
  sweptChain,
} from '@shardwalk/testkit/refresh-chain'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openArchive } from '../src/origin.ts'

/**
 * Compares the tables of the indexed recorded chain with the results of the node's get-methods at its last
 * block.
 */
// biome-ignore lint/suspicious/noExplicitAny: facts are picked by name
const facts: any = JSON.parse(readFileSync(`${FIXTURE_CHAIN_FOLDER}/facts.json`, 'utf8'))
type Row = Record<string, unknown>

let network: RecordedNetwork
let batches: EncodedBatch[]
let scratch: ScratchDatabase
let archive: ArchiveSource
/** Decides when contracts are examined and traces classified between blocks. */
const SEED = testSeed()

beforeAll(async () => {
  network = await RecordedNetwork.open()
  batches = await sweptChain.batches()
  archive = await openArchive(join(FIXTURE_CHAIN_FOLDER, 'node-archive'))
  scratch = await examinedChain()
})
afterAll(async () => {
  await scratch?.close()
  await network?.close()
  await archive?.close()
})

/** Rows of a table with raw lower-case addresses for every `_id`, as in the facts. */
async function table(name: string): Promise<Map<string, Row>> {
  const [rows, accounts] = await Promise.all([
    sql<Row & { account_id: bigint }>`select * from ${sql.table(name)}`.execute(scratch.db),
    scratch.db.selectFrom('accounts').selectAll().execute(),
  ])
  const raw = new Map(accounts.map((row) => [row.id, `${row.workchain}:${row.address.toString('hex')}`]))
  const show = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(show) : typeof value === 'bigint' ? (raw.get(value) ?? value) : value
  return new Map(
    rows.rows.map((row) => [
      raw.get(row.account_id) as string,
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [
          key,
          /_id$|signers|proposers|whitelist/.test(key) ? show(value) : value,
        ]),
      ),
    ]),
  )
}

const hex = (value: unknown): string => (value as Buffer).toString('hex')
const contentOf = ({ content_uri: uri, content_parsed: parsed }: Row & { content_parsed?: Row }) =>
  uri ? { uri } : (parsed?.['fields'] ?? { uri: parsed?.['uri'] })

describe('states of the recorded chain', () => {
  test('nothing remains in the queue', async () => {
    expect(await countRefreshQueue(scratch.db)).toEqual({ accounts: 0, batches: 0 })
  })

  test('every active account has complete code and data', async () => {
    const { rows } = await sql<Row>`
      select a.workchain || ':' || encode(a.address, 'hex') as address, s.code_hash, s.data_hash,
        c.boc as code, coalesce(d.boc, r.boc) as data
      from latest_account_states s join accounts a on a.id = s.account_id
        left join codes c on c.code_hash = s.code_hash
      left join account_data d on d.account_id = s.account_id and d.data_hash = s.data_hash
      left join contract_data r on r.account_id = s.account_id and r.data_hash = s.data_hash
        where s.status = 2`.execute(scratch.db)
    const rootHash = (boc: unknown) => {
      const bag = parseBoc(boc as Buffer)
      return bag.hash(bag.root).toString('hex')
    }
    for (const row of rows) {
      if (row['code_hash']) expect(rootHash(row['code']), String(row['address'])).toBe(hex(row['code_hash']))
      if (row['data_hash']) expect(rootHash(row['data']), String(row['address'])).toBe(hex(row['data_hash']))
      const fact = facts.accounts[String(row['address'])]
      if (fact?.code_hash) expect(hex(row['code_hash'])).toBe(fact.code_hash)
      if (fact?.data_hash) expect(hex(row['data_hash'])).toBe(fact.data_hash)
    }
    expect(rows.length).toBeGreaterThan(300)
  })

  test('every account has its balance and status', async () => {
    const { rows } = await sql<Row>`
      select a.workchain || ':' || encode(a.address, 'hex') as address, s.balance, s.status, s.lt
      from latest_account_states s join accounts a on a.id = s.account_id`.execute(scratch.db)
    const states = new Map(rows.map((row) => [row['address'], row]))
    for (const [address, fact] of Object.entries<{ state: string; balance?: string; transactions: number }>(
      facts.accounts,
    )) {
      const row = states.get(address)
      if (fact.state === 'nonexist' || fact.state === 'none') continue
      expect([String(row?.['balance']), ACCOUNT_STATUS[Number(row?.['status'])]], address).toEqual([
        fact.balance,
        fact.state,
      ])
    }
  })
})

describe('tokens of the recorded chain', () => {
  test('jetton masters and wallets', async () => {
    const masters = await table('jetton_masters')
    const wallets = await table('jetton_wallets')
    let checked = 0
    for (const jetton of facts.jettons) {
      if (!jetton.only)
        expect(masters.get(jetton.address)).toMatchObject({
          total_supply: jetton.total_supply,
          mintable: jetton.mintable,
          admin_id: jetton.admin,
          content: contentOf(jetton),
        })
      for (const fact of jetton.wallets) {
        const row = wallets.get(fact.address)
        expect([row?.['balance'], row?.['owner_id'], row?.['jetton_id']]).toEqual([
          fact.balance,
          fact.owner,
          jetton.address,
        ])
        checked++
      }
    }
    expect(checked).toBeGreaterThan(30)
  })

  test('NFT collections and items', async () => {
    const collections = await table('nft_collections')
    const items = await table('nft_items')
    for (const fact of facts.nft_collections) {
      if (!fact.only)
        expect(collections.get(fact.address)).toMatchObject({
          next_item_index: fact.next_item_index,
          owner_id: fact.owner,
          content: contentOf(fact),
        })
    }
    const all = [
      ...facts.nft_collections.flatMap((one: { items?: Row[] }) => one.items ?? []),
      ...facts.nft_items,
    ]
    for (const fact of all) {
      if (fact.state !== 'active' || fact.owner === undefined) expect(items.has(fact.address)).toBe(false)
      else
        expect(items.get(fact.address), fact.address).toMatchObject({
          init: fact.init,
          item_index: fact.index,
          collection_id: fact.collection,
          owner_id: fact.owner,
          content: contentOf(fact),
        })
    }
    expect(all.length).toBeGreaterThan(10)
  })

  test('a sold item belongs to its seller, whichever of the two was written first', async () => {
    const items = await table('nft_items')
    const sales = [...(await table('nft_sales')), ...(await table('nft_auctions'))]
    for (const [address, sale] of sales) {
      const item = items.get(String(sale['nft_id']))
      if (item?.['owner_id'] === address) expect(item['real_owner_id']).toBe(sale['nft_owner_id'])
      else if (item) expect(item['real_owner_id']).toBe(item['owner_id'])
    }
    expect(sales.length).toBeGreaterThan(4)
  })
})

describe('other contracts of the recorded chain, and events', () => {
  test('domains and their records', async () => {
    const entries = await table('dns_entries')
    for (const fact of facts.dns.items) {
      if (fact.state !== 'active') continue
      const row = entries.get(fact.address)
      expect([row?.['domain'], row?.['owner_id'], String(row?.['last_fill_up_time'])]).toEqual([
        `${fact.domain}.ton`,
        fact.owner,
        String(fact.last_fill_up_time),
      ])
      const { max_bid_address, max_bid_amount, end_time } = fact.auction
      expect(
        [row?.['bidder_id'], row?.['bid'], row?.['auction_end_time']].map((value) => value && String(value)),
      ).toEqual(
        max_bid_address === null ? [null, null, null] : [max_bid_address, max_bid_amount, String(end_time)],
      )
      expect({
        wallet: row?.['wallet_id'] !== null,
        site: row?.['site'] !== null,
        storage: row?.['storage'] !== null,
      }).toEqual({
        wallet: 'wallet' in fact.records,
        site: 'site' in fact.records,
        storage: 'storage' in fact.records,
      })
    }
    expect([...entries.values()].map((row) => row['domain'])).toContain('longname.t.me')
  })

  test('multisigs and their orders', async () => {
    const wallets = await table('multisig_wallets')
    const orders = await table('multisig_orders')
    for (const fact of facts.multisigs) {
      expect(wallets.get(fact.address)).toMatchObject({
        next_order_seqno: fact.next_order_seqno,
        threshold: fact.threshold,
        signers: fact.signers.map((one: { address: string }) => one.address),
        proposers: fact.proposers.map((one: { address: string } | string) =>
          typeof one === 'string' ? one : one.address,
        ),
      })
      for (const order of fact.orders) {
        if (order.state !== 'active' || order.threshold === undefined) continue
        expect(orders.get(order.address)).toMatchObject({
          multisig_id: fact.address,
          order_seqno: order.order_seqno,
          threshold: order.threshold,
          sent_for_execution: order.sent_for_execution,
          signers: order.signers,
          approvals_mask: order.approvals_mask,
          approvals_num: order.approvals_num,
          expiration_date: BigInt(order.expiration_date),
        })
      }
    }
  })

  test('vesting contracts and the nominator pool', async () => {
    const vesting = await table('vesting_contracts')
    for (const fact of facts.vesting)
      expect(vesting.get(fact.address)).toMatchObject({
        start_time: BigInt(fact.start_time),
        total_duration: BigInt(fact.total_duration),
        unlock_period: BigInt(fact.unlock_period),
        cliff_duration: BigInt(fact.cliff_duration),
        total_amount: fact.total_amount,
        sender_id: fact.sender,
        owner_id: fact.owner,
        whitelist: fact.whitelist,
      })
    const pool = (await table('nominator_pools')).get(facts.nominator_pool.address)
    expect(pool).toMatchObject({
      state: facts.nominator_pool.state,
      nominators_count: facts.nominator_pool.nominators_count,
      validator_amount: facts.nominator_pool.validator_amount,
    })
  })

  test('every transfer and burn of a wallet and transfer of an item is present and confirmed', async () => {
    for (const [events, role, opcode] of [
      ['jetton_transfers', 'jetton_wallets', 0x0f8a7ea5],
      ['jetton_burns', 'jetton_wallets', 0x595f07bc],
      ['nft_transfers', 'nft_items', 0x5fcc3d14],
    ] as const) {
      const { rows } = await sql<Row>`
        select t.account_id, t.lt from transactions t
          join messages m on m.account_id = t.in_msg_account_id and m.lt = t.in_msg_lt
        join ${sql.table(role)} r on r.account_id = t.account_id
        where m.kind = 0 and m.opcode = ${opcode} order by 1, 2`.execute(scratch.db)
      const found = await sql<Row>`
        select e.account_id, e.lt from ${sql.table(events)} e where confirmed order by 1, 2`.execute(
        scratch.db,
      )
      expect(found.rows).toEqual(rows)
      expect(rows.length).toBeGreaterThan(5)
    }
  })
})

test('after the first block, untouched accounts are as in the zerostate', async () => {
  const young = await scratchDatabase()
  try {
    await commitGroups(young, [batches.slice(0, 1)])
    const refresher = network.refresher(young)
    await refresher.round()
    await refresher.close()
    const { rows } = await sql<Row>`
      select a.workchain || ':' || encode(a.address, 'hex') as address, s.balance, s.code_hash, c.boc as code
      from latest_account_states s join accounts a on a.id = s.account_id
      left join codes c on c.code_hash = s.code_hash where s.lt = 0`.execute(young.db)
    expect(rows.length).toBe(2)
    for (const row of rows) if (row['code_hash']) expect(row['code']).not.toBeNull()
    expect(rows.reduce((sum, row) => sum + (row['balance'] as bigint), 0n)).toBeGreaterThan(0n)
  } finally {
    await young.close()
  }
})

test('a number that exceeds its column costs only that contract its row', async () => {
  const spare = await scratchDatabase()
  try {
    await commitGroups(spare, [batches.slice(0, 1)])
    const base = {
      address: { workchain: 0, hash: Buffer.alloc(32, 1) },
      queuedLt: 1n,
      requeues: 0,
      asked: [],
      lt: 1n,
      codeHash: null,
      dataHash: null,
    }
    const order = { kind: 'multisig', nextOrderSeqno: 0n, signers: [], proposers: [] } as const
    const bad = { ...base, accountId: 5n, found: [{ ...order, threshold: 1e60 }] }
    const good = { ...base, accountId: 6n, found: [{ ...order, threshold: 2 }] }
    await writeContracts(spare.pool, [bad, good])
    const { rows } = await sql<Row>`select account_id from multisig_wallets`.execute(spare.db)
    expect(rows).toEqual([{ account_id: 6n }])
  } finally {
    await spare.close()
  }
})

describe('order and crashes', () => {
  let undisturbed: Awaited<ReturnType<typeof checksumsOfAll>>
  beforeAll(async () => {
    const database = await sweptChain.classified()
    undisturbed = await checksumsOfAll(database)
    await database.close()
  })

  /** As many groups of fewer blocks. */
  const groupsOf = (list: readonly EncodedBatch[], size: number) =>
    inGroups(list, isLong ? size : Math.ceil(size / 5))
  const half = () => Math.floor(batches.length / 2)
  interface Order {
    readonly groups: () => EncodedBatch[][]
    readonly fromFiles?: true
    /** Whether short runs try it too. */
    readonly short?: true
  }
  const orders: Record<string, Order> = {
    'newest first': {
      groups: () => groupsOf([...batches].reverse(), 40).map((group) => [...group].reverse()),
    },
    'from the middle': {
      groups: () => [...groupsOf(batches.slice(half()), 35), ...groupsOf(batches.slice(0, half()), 35)],
    },
    'shuffled, seed 7': { groups: () => shuffled(groupsOf(batches, 25), randomFrom(7)) },
    "shuffled, seed 11, from the node's own packages": {
      groups: () => shuffled(groupsOf(batches, 35), randomFrom(11)),
      fromFiles: true,
      short: true,
    },
  }
  for (const [name, { groups, fromFiles, short }] of Object.entries(orders))
    test.runIf(isLong || short)(
      `the tables are the same with blocks ${name} and workers that run at random and die`,
      async () => {
        const other = await scratchDatabase()
        try {
          const worker = () =>
            network.refresher(other, ...(fromFiles ? [{ states: undefined, source: archive }] : []))
          const workers = [worker(), worker()]
          const random = randomFrom(SEED)
          const sometimes = (work: () => Promise<unknown>, share = 0.6) =>
            random() < share ? work() : undefined
          await commitGroups(other, groups(), async () => {
            if (random() < 0.3) await abandonSome(other)
            await Promise.all(workers.map((worker) => sometimes(() => worker.round())))
            await sometimes(() => classifyAll(other), 0.2)
          })
          // Of workers that want one contract, one takes it and the others leave it for later.
          const end = async () => {
            await endLeases(other)
            await Promise.all(workers.map(refreshAll))
            return countRefreshQueue(other.db)
          }
          await expect.poll(end).toEqual({ accounts: 0, batches: 0 })
          await Promise.all(workers.map((worker) => worker.close()))
          await classifyAll(other)
          const missing = await sql<{ what: string }>`select what from missing_states`.execute(other.db)
          expect(missing.rows, `SEED=${SEED}`).toEqual([])
          expect(await checksumsOfAll(other), `SEED=${SEED}`).toEqual(undisturbed)
        } finally {
          await other.close()
        }
      },
    )
})
