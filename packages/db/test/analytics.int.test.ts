import { readFileSync } from 'node:fs'
import { ROLE_PASSWORDS, type ScratchDatabase, urlOfRole } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { Address, beginCell } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDb, type DatabaseHandle, grantRoles, migrate, viewsPage } from '../src/index.ts'

let scratch: ScratchDatabase
let analyst: DatabaseHandle
beforeAll(async () => {
  scratch = await classifiedChain()
  await grantRoles(scratch.pool, { create: true, passwords: ROLE_PASSWORDS })
  for (const table of SMALL) await multiply(table)
  await scratch.pool.query(`analyze ${SMALL.join(', ')}`)
  analyst = createDb({ url: urlOfRole(scratch.url, 'analyst'), max: 1 })
})
afterAll(async () => {
  await analyst?.close()
  await scratch?.close()
})

/** Tables with few rows on the sample: reading them whole would be right. */
const SMALL = [
  ...['jetton_masters', 'jetton_wallets', 'nft_items', 'dns_entries'],
  ...['jetton_transfers', 'jetton_burns', 'nft_transfers'],
  ...['multisig_wallets', 'multisig_orders', 'vesting_contracts'],
] as const

async function multiply(table: (typeof SMALL)[number]): Promise<void> {
  const later = ['account_id', 'lt', 'now']
  // There are too few of these for an index.
  if (/^(multisig|vesting)/.test(table)) later.push('multisig_id', 'owner_id', 'sender_id')
  const { rows } = await scratch.pool.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0
     and not attisdropped and attidentity = '' and attgenerated = ''`,
    [table],
  )
  const columns = rows.map(({ name }) => name)
  const values = columns.map((name) => (later.includes(name) ? `${name} + 60 * g` : name))
  await scratch.pool.query(
    `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${table},
     generate_series(1, 3000 / (select count(*)::int from ${table})) g on conflict do nothing`,
  )
}

const rowsOf = async (text: string, values: unknown[] = []) => (await analyst.pool.query(text, values)).rows
const resultOf = async (expression: string, values: unknown[] = []) =>
  (await rowsOf(`select ${expression} as value`, values))[0].value

test('every view and each of its columns has a comment, and the analyst can read all of it', async () => {
  const views = await rowsOf("select viewname as name from pg_views where schemaname = 'analytics'")
  expect(views.length).toBeGreaterThan(20)
  for (const { name } of views) {
    const { rowCount } = await analyst.pool.query(`select * from analytics.${name} limit 50`)
    expect(rowCount, name).toBeGreaterThan(0)
  }
  const bare = await rowsOf(
    `select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'analytics'::regnamespace and c.relkind in ('v', 'r')
       and (col_description(c.oid, a.attnum) is null or obj_description(c.oid, 'pg_class') is null)`,
  )
  expect(bare).toEqual([])
})

test('docs/views.md shows the views', () => {
  const page = readFileSync(new URL('../../../docs/views.md', import.meta.url), 'utf8')
  expect(page).toBe(viewsPage())
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Alias?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

async function plan(query: string, ...off: string[]): Promise<readonly Plan[]> {
  await analyst.pool.query(off.map((what) => `set enable_${what} = off`).join('; '))
  const [row] = await rowsOf(`explain (format json) ${query}`)
  await analyst.pool.query('reset all')
  return nodesOf(row['QUERY PLAN'][0].Plan)
}

/** Tables that grow with the chain. */
const LARGE =
  /^(accounts|blocks|transactions|messages|traces|action|(jetton|nft|dns|latest|multisig|vesting)_\w+)/
const readWhole = (nodes: readonly Plan[]): readonly string[] =>
  nodes
    .filter((node) => /^(Seq Scan|Index Scan|Index Only Scan)$/.test(node['Node Type']))
    .filter((node) => LARGE.test(node['Relation Name'] ?? '') && node['Index Cond'] === undefined)
    .map((node) => `${node['Node Type']} ${node['Relation Name']}`)

describe('a filter reaches an index', () => {
  const ADDRESSES = {
    transactions: ['account'],
    messages: ['source', 'destination'],
    transfers: ['source', 'destination'],
    jettons: ['address'],
    jetton_transfers: ['jetton', 'source', 'destination', 'wallet'],
    jetton_burns: ['jetton', 'owner'],
    jetton_mints: ['jetton', 'owner', 'wallet'],
    jetton_holders: ['jetton', 'owner', 'wallet'],
    balances: ['owner'],
    balance_changes: ['owner'],
    nft_items: ['item', 'collection', 'owner', 'real_owner'],
    nft_transfers: ['item', 'collection', 'old_owner', 'new_owner'],
    action_accounts: ['account'],
    dns: ['item'],
    daily_jetton_stats: ['jetton'],
    accounts: ['account'],
    multisigs: ['multisig'],
    multisig_orders: ['order_address', 'multisig'],
    vesting_contracts: ['contract', 'owner', 'sender'],
    nft_owner_changes: ['item', 'old_owner', 'new_owner'],
  }
  const HASH = '00'.repeat(32)
  const OTHERS = [
    [`messages where hash_bytes = analytics.hash('${HASH}')`],
    [`transactions where hash_bytes = analytics.hash('${HASH}')`],
    [`transactions where piece in (select analytics.pieces('${HASH}'))`],
    [`traces where trace_id_bytes = analytics.hash('${HASH}')`],
    [`actions where trace_id_bytes = analytics.hash('${HASH}')`],
    ["dns where domain = 'alice.ton'"],
    ["dex_trades where dex = 'dedust'"],
    ['nft_sales where price_ton > 1'],
    ['blocks where mc_block_seqno = 5'],
    ["accounts where wallet = 'wallet_v4r2'"],
    [`accounts where code_hash_bytes = analytics.hash('${HASH}')`],
  ] as const
  /** Indexes of partitions have names of their own. */
  const BY_TIME = /_time$|_to_timestamp_/
  const RAW = `0:${'0A'.repeat(32)}`

  test.each(Object.entries(ADDRESSES).flatMap(([view, columns]) => columns.map((column) => [view, column])))(
    'address: %s.%s, also with IN',
    async (view, column) => {
      for (const condition of [`= '${RAW}'`, `in ('${RAW}', '-1:${'00'.repeat(32)}')`]) {
        const nodes = await plan(`select * from analytics.${view} where ${column} ${condition}`, 'seqscan')
        expect(readWhole(nodes), condition).toEqual([])
        expect(nodes.map((node) => node['Index Name'])).toContain('accounts_address_text')
      }
    },
  )

  test.each(OTHERS)('%s', async (condition) => {
    expect(readWhole(await plan(`select * from analytics.${condition}`, 'seqscan'))).toEqual([])
  })

  test.each([
    ...['blocks', 'transactions', 'messages', 'transfers', 'traces', 'actions', 'action_accounts'],
    ...['jetton_transfers', 'jetton_burns', 'nft_transfers', 'balance_changes'],
    'nft_owner_changes',
  ])('time and day: %s', async (view) => {
    for (const condition of ["block_time >= '2026-11-21 12:00'", "block_date = '2026-11-21'"]) {
      const query = `select count(*) from analytics.${view} where ${condition}`
      const nodes = await plan(query, 'seqscan', 'indexscan', 'indexonlyscan')
      expect(
        nodes.some((node) => BY_TIME.test(node['Index Name'] ?? '')),
        condition,
      ).toBe(true)
      expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    }
  })

  test.each([
    ['daily_stats', /^(blocks|transactions|messages)/],
    ['daily_jetton_stats', /^jetton_(transfers|burns)/],
  ])('days: %s reads those that are named', async (view, tables) => {
    for (const condition of ["day >= '2026-11-22'", "day = '2026-11-20'"]) {
      const query = `select * from analytics.${view} where ${condition}`
      const nodes = await plan(query, 'seqscan', 'indexscan', 'indexonlyscan')
      // `earlier`: what new accounts did before, by account.
      const scans = nodes.filter(
        ({ Alias, 'Relation Name': name }) => tables.test(name ?? '') && !Alias?.startsWith('earlier'),
      )
      expect(scans.length).toBeGreaterThan(1)
      for (const { 'Node Type': kind, Plans: [index] = [] } of scans)
        expect([kind, BY_TIME.test(index?.['Index Name'] ?? '')]).toEqual(['Bitmap Heap Scan', true])
    }
  })

  test('what a query does not name is not joined', async () => {
    const nodes = await plan(
      "select sum(amount_raw) from analytics.jetton_transfers where block_date = '2026-11-21'",
    )
    expect(nodes.flatMap((node) => node['Relation Name'] ?? [])).toEqual(['jetton_transfers'])
  })
})

test('sums over the views are those of the tables', async () => {
  const [row] = await rowsOf(
    `select (select count(*) from analytics.messages) as messages,
       (select count(*) from messages) as of_table,
       (select sum(value_nano) from analytics.messages) as value,
       (select sum(value) from messages where kind = 0) as of_messages,
       (select sum(value_nano) from analytics.transfers) as transfers,
       (select sum(value_nano) from analytics.messages where bounced) as bounced,
       (select sum(value_nano) from analytics.messages where source = destination and not bounced) as to_self,
       (select sum(value_nano) from analytics.messages where kind = 'internal' and source is null) as minted,
       (select count(*) from analytics.messages where kind = 'internal' and tx_hash_in is null) as open,
       (select count(*) from analytics.messages where kind = 'internal' and tx_hash_out is null
          and source is not null) as unsent`,
  )
  expect(row.messages).toBe(row.of_table)
  expect(row.value).toBe(row.of_messages)
  const parts = [row.transfers, row.bounced, row.to_self, row.minted].map(BigInt)
  for (const part of parts) expect(part).toBeGreaterThan(0n)
  expect(parts.reduce((sum, part) => sum + part)).toBe(BigInt(row.value))
  expect([row.open, row.unsent]).toEqual([0n, 0n])
})

test('transfers that were returned are those whose receiver sent a bounced message', async () => {
  const [row] = await rowsOf(
    `select count(*) filter (where outcome = 'returned') as returned,
       count(*) filter (where outcome = 'kept') as kept, count(*) filter (where not success) as failed,
       (select count(*) from analytics.messages where bounced) as bounced
     from analytics.transfers`,
  )
  expect([row.returned, row.returned + row.kept]).toEqual([row.bounced, row.failed])
  expect(row.returned).toBeGreaterThan(100n)
})

test('every message is in a block, and the latest balances are the sums of what changed', async () => {
  const [{ lost }] = await rowsOf(
    'select count(*) as lost from analytics.messages where mc_block_seqno is null',
  )
  expect(lost).toBe(0n)
  const wrong = await rowsOf(
    `select * from (
       select owner, asset, coalesce(wallet, '') as wallet, sum(delta) as total
       from analytics.balance_changes group by 1, 2, 3
     ) c left join (select owner, asset, coalesce(wallet, '') as wallet, balance from analytics.balances) b
       using (owner, asset, wallet)
     where total <> coalesce(balance, 0)`,
  )
  expect(wrong).toEqual([])
  const [{ jettons }] = await rowsOf(
    "select count(*) as jettons from analytics.balance_changes where asset <> 'TON'",
  )
  expect(jettons).toBeGreaterThan(300n)
})

test('addresses of any form are read, and shown in the friendly form', async () => {
  const hash = Buffer.alloc(32, 0xa5)
  for (const workchain of [0, -1])
    for (const [bounceable, testOnly] of [
      [true, false],
      [false, true],
    ] as const) {
      const address = new Address(workchain, hash)
      const raw = `${workchain}:${hash.toString('hex').toUpperCase()}`
      const friendly = address.toString({ bounceable, testOnly })
      expect(await resultOf('analytics.address_friendly($1, $2, $3)', [raw, bounceable, testOnly])).toBe(
        friendly,
      )
      for (const form of [friendly, address.toString({ urlSafe: false }), raw.toLowerCase()])
        expect(await resultOf('analytics.address($1)', [form])).toBe(raw)
    }
  for (const workchain of [128, -129, 256]) {
    const raw = `${workchain}:${hash.toString('hex').toUpperCase()}`
    expect(await resultOf('analytics.address_friendly($1)', [raw])).toBe(raw)
  }
  await expect(resultOf('analytics.address($1)', [`EQ${'A'.repeat(46)}`])).rejects.toThrow(
    'not an address: EQA',
  )
  for (const form of ['base64', 'base64url', 'hex'] as const)
    expect(await resultOf('analytics.hash($1)', [hash.toString(form)])).toEqual(hash)
  await expect(resultOf("analytics.hash('x')")).rejects.toThrow('not a hash: x')
})

describe('the text of a body', () => {
  const long = 'ж'.repeat(300)
  const snake = beginCell().storeUint(0, 32).storeStringTail(long).endCell()
  test.each([
    ['short', beginCell().storeUint(0, 32).storeStringTail('=1+1 "x"\n').endCell(), '=1+1 "x"\n'],
    ['in several cells', snake, long],
    ['empty', beginCell().storeUint(0, 32).endCell(), ''],
    ['with NUL', beginCell().storeUint(0, 32).storeBuffer(Buffer.from('a\0b\\000')).endCell(), 'ab\\000'],
    ['not UTF-8', beginCell().storeUint(0, 32).storeUint(0xff, 8).endCell(), null],
    ['not whole bytes', beginCell().storeUint(0, 32).storeUint(1, 3).endCell(), null],
    ['another opcode', beginCell().storeUint(1, 32).storeStringTail('x').endCell(), null],
    ['shorter than an opcode', beginCell().storeUint(0, 8).endCell(), null],
    ['no cells', undefined, null],
  ])('%s', async (_, cell, expected) => {
    for (const options of [{ idx: false }, { idx: true }]) {
      const boc = cell ? cell.toBoc({ ...options, crc32: true }) : Buffer.from('nonsense')
      expect(await resultOf('analytics.comment_text($1)', [boc])).toBe(expected)
    }
  })
})

test('the amount of what is minted is read exactly, or not at all', async () => {
  const minted = (amount: bigint) =>
    beginCell().storeUint(0x178d4519, 32).storeUint(7, 64).storeCoins(amount).storeBit(0).endCell()
  for (const amount of [0n, 1n, 2n ** 60n - 1n, 2n ** 60n, 2n ** 63n, 2n ** 120n - 1n])
    for (const idx of [false, true])
      expect(
        await resultOf('analytics.mint_amount($1)::text', [minted(amount).toBoc({ idx, crc32: true })]),
      ).toBe(String(amount))
  const short = beginCell().storeUint(0x178d4519, 32).storeUint(7, 64).storeUint(15, 4).storeUint(1, 8)
  for (const boc of [short.endCell().toBoc(), beginCell().endCell().toBoc(), Buffer.from('nonsense')])
    expect(await resultOf('analytics.mint_amount($1)', [boc])).toBe(null)
})

test('a symbol is unique unless another master has it, in any case and wherever it is from', async () => {
  const { rows: masters } = await scratch.pool.query('select account_id as id from jetton_masters limit 2')
  const call = (id: bigint, symbol: string) =>
    scratch.pool.query(
      `insert into metadata_overrides (account_id, type, content)
       values ($1, 2, jsonb_build_object('symbol', $2::text))`,
      [id, symbol],
    )
  const unique = async () =>
    (await rowsOf("select symbol_is_unique as one from analytics.jettons where symbol ilike 'only1'")).map(
      ({ one }) => one,
    )
  await call(masters[0].id, 'Only1')
  expect(await unique()).toEqual([true])
  await call(masters[1].id, 'ONLY1')
  expect(await unique()).toEqual([false, false])
  await scratch.pool.query('delete from metadata_overrides')
})

test('a domain that is auctioned has its bidder, the bid and the end', async () => {
  const rows = await rowsOf(
    `select bidder, bid_ton, extract(epoch from auction_ends)::int as ends from analytics.dns
     where bidder is not null order by bidder, ends, domain`,
  )
  const { rows: stored } = await scratch.pool.query(
    `select analytics.address_text(a.workchain, a.address) as bidder, e.bid * 0.000000001 as bid_ton,
       e.auction_end_time::int as ends
     from dns_entries e join accounts a on a.id = e.bidder_id order by bidder, ends, e.domain`,
  )
  expect(stored.length).toBeGreaterThan(0)
  expect(rows).toEqual(stored)
})

test('amounts of any size are exact', async () => {
  expect(await resultOf('analytics.units($1, 9)::text', [String(2n ** 256n - 1n)])).toBe(
    '115792089237316195423570985008687907853269984665640564039457584007913.129639935',
  )
  expect(await resultOf("analytics.units(-1, 255)::text = '-0.' || repeat('0', 254) || '1'")).toBe(true)
  expect(
    await resultOf(
      "array[analytics.decimals_of('6'), analytics.decimals_of('256'), analytics.decimals_of('x')]",
    ),
  ).toEqual([6, null, null])
})

test('an update makes the views again, and the analyst keeps reading them', async () => {
  await scratch.pool.query("comment on schema analytics is 'an older version'; drop view analytics.dns")
  await Promise.all([1, 2].map(() => migrate(scratch.db)))
  expect(await rowsOf('select count(*) > 0 as any from analytics.dns')).toEqual([{ any: true }])
  const { rows } = await scratch.pool.query("select 'analytics.dns'::regclass::oid as oid")
  await migrate(scratch.db)
  expect((await scratch.pool.query("select 'analytics.dns'::regclass::oid as oid")).rows).toEqual(rows)
})
