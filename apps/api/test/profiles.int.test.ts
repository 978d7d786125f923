import { readFileSync } from 'node:fs'
import { PROFILE_DIFFERENCES } from '@shardwalk/api-schema'
import { deriveAccountId, formatRawAddress } from '@shardwalk/model'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client, Json, Query, Reply } from './client.ts'
import { ChainUnderApi } from './contracts/chain-under-api.ts'

/** Both profiles answer each row of the table of differences, over HTTP. */
let chain: ChainUnderApi
beforeAll(async () => {
  chain = await ChainUnderApi.start()
})
afterAll(() => chain?.close())

/** Transactions of a shard that are looked at. */
const NEWEST = isLong ? 1000 : 100

const ACCOUNT = '-1:3333333333333333333333333333333333333333333333333333333333333333'

const same = (a: Reply, b: Reply): boolean =>
  JSON.stringify([a.status, a.body]) === JSON.stringify([b.status, b.body])

/** The one value that all looks saw. */
function consistent<T>(seen: readonly T[]): T {
  expect(new Set(seen).size, seen.join()).toBe(1)
  return seen[0]!
}

const someHash = async (client: Client): Promise<string> =>
  ((await client.get('traces', { limit: 1 })).body['traces'] as { trace_id: string }[])[0]!.trace_id

interface RowList {
  readonly path: string
  readonly key: string
  readonly table: string
  /** Lists that must be asked for by address. */
  readonly by?: string
  readonly sort?: 'asc'
}

const ROW_LISTS: readonly RowList[] = [
  { path: 'jetton/masters', key: 'jetton_masters', table: 'jetton_masters' },
  { path: 'jetton/wallets', key: 'jetton_wallets', table: 'jetton_wallets' },
  { path: 'nft/collections', key: 'nft_collections', table: 'nft_collections' },
  { path: 'nft/items', key: 'nft_items', table: 'nft_items' },
  { path: 'vesting', key: 'vesting_contracts', table: 'vesting_contracts', by: 'contract_address' },
  { path: 'multisig/wallets', key: 'multisigs', table: 'multisig_wallets', by: 'address', sort: 'asc' },
  { path: 'multisig/orders', key: 'orders', table: 'multisig_orders', by: 'address', sort: 'asc' },
]

/** Addresses of a list in its order. */
async function addressesOf(client: Client, { path, key, table, by, sort }: RowList): Promise<string[]> {
  const { rows } = await chain.scratch.pool.query(
    `select a.workchain || ':' || upper(encode(a.address, 'hex')) as raw
     from ${table} join accounts a on a.id = account_id`,
  )
  const query = { limit: 1000, sort, ...(by && { [by]: rows.map(({ raw }) => raw as string) }) }
  const { status, body } = await client.get(path, query)
  expect([path, status]).toEqual([path, 200])
  return (body[key] as { address: string }[]).map((row) => row.address)
}

/** The first account of the basechain. */
const NEWCOMER = { workchain: 0, hash: Buffer.alloc(32, 0) }

/** A row like another one, of an account that sorts before all others. */
async function addRow(table: string) {
  const { db, pool } = chain.scratch
  const id = deriveAccountId(NEWCOMER)
  await db
    .insertInto('accounts')
    .values({ id, workchain: 0, address: NEWCOMER.hash, activity: Buffer.alloc(0) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { rows } = await pool.query(
    `select string_agg(column_name, ', ') as list from information_schema.columns
     where table_schema = current_schema() and table_name = $1
       and column_name not in ('row_no', 'account_id')`,
    [table],
  )
  const { list } = rows[0] as { list: string }
  await pool.query(`insert into ${table} (account_id, ${list}) select $1, ${list} from ${table} limit 1`, [
    id,
  ])
  return { id, address: formatRawAddress(NEWCOMER) }
}

const SEEN: Record<keyof typeof PROFILE_DIFFERENCES, (client: Client) => Promise<string | number>> = {
  async opcode(client) {
    const { body } = await client.get('messages', { opcode: '0x0f8a7ea5', limit: 1 })
    const { opcode } = (body['messages'] as Json[])[0]!
    return opcode === 0x0f8a7ea5 ? 'integer' : opcode === '0x0f8a7ea5' ? 'hex' : `${opcode}`
  },
  async shardState(client) {
    const keys = Object.keys((await client.get('masterchainBlockShardState', { seqno: 100 })).body).sort()
    return keys.join() === 'blocks'
      ? 'blocks'
      : keys.join() === 'address_book,blocks,transactions'
        ? 'with_transactions'
        : keys.join()
  },
  async unknownParameter(client) {
    const reply = await client.get('transactions', { acount: ACCOUNT, limit: 1 })
    if (reply.status === 422) {
      expect(reply.body['error']).toBe('unknown parameter "acount"; did you mean "account"?')
      return 'reject'
    }
    return reply.headers.get('x-ignored-parameters') === 'acount' ? 'ignore' : 'silent'
  },
  async unknownActionType(client) {
    const reply = await client.get('actions', { action_type: ['ton_transfer', 'jeton_swap'] })
    if (reply.status === 200) return 'no_match'
    expect([reply.status, reply.body['error']]).toEqual([
      422,
      'wrong value for parameter "action_type": "jeton_swap" is not a type of action; did you mean ' +
        '"jetton_swap"?',
    ])
    return 'reject'
  },
  async badValues(client) {
    const pairs: readonly (readonly [string, Query, Query])[] = [
      ['transactions', { limit: 0 }, { limit: 1 }],
      ['transactions', { limit: -7 }, { limit: 1 }],
      ['blocks', { limit: 5, offset: -3 }, { limit: 5 }],
      ['transactions', { start_utime: -1 }, { start_utime: 4294967295 }],
      ['transactions', { end_utime: -1, limit: 3 }, { end_utime: 4294967295, limit: 3 }],
      ['transactions', { start_utime: 1795262586000 }, { start_utime: 4294967295 }],
      ['jetton/transfers', { end_utime: 1795262586000, limit: 3 }, { end_utime: 4294967295, limit: 3 }],
      ['messages', { hash: 'nonsense', limit: 2 }, { limit: 2 }],
      ['masterchainBlockShards', { seqno: 'x' }, { seqno: 0 }],
      ['blocks', { workchain: '', limit: 3 }, { workchain: 0, limit: 3 }],
      ['transactions', { end_lt: '' }, { end_lt: 0 }],
      ['messages', { only_externals: '', limit: 3 }, { only_externals: false, limit: 3 }],
      [
        'adjacentTransactions',
        { hash: await someHash(client), direction: 'up' },
        { hash: await someHash(client) },
      ],
    ]
    return consistent(
      await Promise.all(
        pairs.map(async ([path, bad, read]) => {
          const reply = await client.get(path, bad)
          if (reply.status === 422) return 'reject'
          return same(reply, await client.get(path, read)) ? 'replace' : `${path} ${JSON.stringify(bad)}`
        }),
      ),
    )
  },
  async emptyValues(client) {
    const alone = await client.get('transactions', { account: '' })
    const beside = await client.get('transactions', { account: ['', ACCOUNT], limit: 3 })
    const elsewhere = await client.get('jetton/masters', { admin_address: '', limit: 3 })
    if ([alone, beside, elsewhere].every(({ status }) => status === 422)) return 'reject'
    expect(alone.body['transactions']).toEqual([])
    expect(same(beside, await client.get('transactions', { account: ACCOUNT, limit: 3 }))).toBe(true)
    expect(same(elsewhere, await client.get('jetton/masters', { limit: 3 }))).toBe(true)
    return 'drop'
  },
  async longLists(client) {
    const account = Array.from({ length: 1001 }, () => ACCOUNT)
    const reply = await client.get('transactions', { account, limit: 3 })
    if (reply.status === 422) return 'reject'
    return same(reply, await client.get('transactions', { account: ACCOUNT, limit: 3 })) ? 'accept' : 'other'
  },
  async blockFilter(client) {
    const blocks = await client.get('blocks', { seqno: 7, limit: 1000 })
    const shards = await client.get('blocks', { shard: '8000000000000000', limit: 1000 })
    const transactions = await client.get('transactions', { seqno: 7, limit: 1000 })
    // When the basechain is split.
    const { body: then } = await client.get('transactions', { mc_seqno: 250, limit: 1 })
    const before = isLong ? {} : { end_lt: (then['transactions'] as [{ lt: string }])[0].lt }
    const whole = { ...before, shard: '8000000000000000', limit: NEWEST }
    const ofShard = await client.get('transactions', whole)
    if ([blocks, shards, transactions, ofShard].every(({ status }) => status === 422)) return 'reject'
    const all = await client.all('blocks', 'blocks')
    const places = (rows: Json[]) => rows.map((row) => `${row['workchain']}:${row['shard']}:${row['seqno']}`)
    const expected = all.filter((row) => row['seqno'] === 7)
    expect(new Set(expected.map((row) => row['workchain'])).size).toBe(2)
    expect(places(blocks.body['blocks'] as Json[])).toEqual(places(expected))
    expect(places(shards.body['blocks'] as Json[])).toEqual(
      places(all.filter((row) => row['shard'] === '8000000000000000').slice(0, 1000)),
    )
    // Only blocks of the beginning have this number.
    const until = isLong ? {} : { end_lt: Math.max(...expected.map((row) => Number(row['end_lt']))) + 1e8 }
    const rows = await client.all('transactions', 'transactions', until)
    const hashes = (list: unknown) => (list as Json[]).map((row) => row['hash'])
    const inBlock = (row: Json) => row['block_ref'] as Json
    const ofSeqno = rows.filter((row) => inBlock(row)['seqno'] === 7)
    expect(ofSeqno.length).toBeGreaterThan(0)
    expect(hashes(transactions.body['transactions'])).toEqual(hashes(ofSeqno))
    const newest = isLong ? rows : await client.all('transactions', 'transactions', before, 500, 500)
    const wanted = newest.filter((row) => inBlock(row)['shard'] === '8000000000000000').slice(0, NEWEST)
    expect(hashes(ofShard.body['transactions'])).toEqual(hashes(wanted))
    expect(wanted).toHaveLength(NEWEST)
    expect(hashes(wanted)).not.toEqual(hashes(newest.slice(0, NEWEST)))
    return 'apply'
  },
  async rowOrder(client) {
    const orders: string[] = []
    for (const list of ROW_LISTS) {
      const before = await addressesOf(client, list)
      const added = await addRow(list.table)
      const after = await addressesOf(client, list)
      await chain.scratch.pool.query(`delete from ${list.table} where account_id = $1`, [added.id])
      expect(before.length, list.path).toBeGreaterThan(0)
      expect(after.length, list.path).toBe(before.length + 1)
      expect(after.filter((address) => address !== added.address)).toEqual(before)
      orders.push(after.at(-1) === added.address ? 'insertion' : 'account')
    }
    return consistent(orders)
  },
  async defaultLimit(client) {
    const counts = await Promise.all(
      ['transactions', 'messages', 'blocks'].map(async (path) => {
        const { body } = await client.get(path)
        return (body[path] as Json[]).length
      }),
    )
    return consistent(counts)
  },
}

test.each(Object.entries(PROFILE_DIFFERENCES))('%s differs as documented', async (key, row) => {
  const look = SEEN[key as keyof typeof SEEN]
  expect(await look(chain.clients.standard)).toBe(row.standard.value)
  expect(await look(chain.clients.toncenter)).toBe(row.toncenter.value)
})

test('masterchainBlockShardState has pages in the profile standard only', async () => {
  const path = 'masterchainBlockShardState'
  const paged = { seqno: 100, limit: 5000, offset: -1, cursor: '?' }
  const { standard, toncenter } = chain.clients
  expect((await standard.get(path, paged)).status).toBe(422)
  const reply = await toncenter.get(path, paged)
  expect(reply.status).toBe(200)
  expect(same(reply, await toncenter.get(path, { seqno: 100 }))).toBe(true)
  expect(reply.headers.get('x-ignored-parameters')).toBe('limit,offset,cursor')
  const documented = async (client: Client) => {
    const { body } = await client.get('openapi.json')
    const { get } = (body['paths'] as Record<string, { get: { parameters: Json[] } }>)[`/api/v3/${path}`]!
    return get.parameters.map(({ name }) => name)
  }
  expect(await documented(standard)).toEqual(['seqno', 'limit', 'offset', 'cursor'])
  expect(await documented(toncenter)).toEqual(['seqno'])
})

test('docs/compatibility.md has the rows of the table of differences, word for word', () => {
  const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (D\d+) \| (.+?) \|/gm)].map(([, decision, subject]) => [
    decision,
    subject,
  ])
  expect(rows).toEqual(Object.values(PROFILE_DIFFERENCES).map(({ decision, subject }) => [decision, subject]))
})
