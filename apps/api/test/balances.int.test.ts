import { PROFILES } from '@shardwalk/api-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'
import { ChainUnderApi, facts, raw, STRANGER } from './contracts/chain-under-api.ts'

let chain: ChainUnderApi
let exporting: Client
beforeAll(async () => {
  chain = await ChainUnderApi.start()
  exporting = await Client.start(chain.scratch, { exportMaxRows: 100_000 })
})
afterAll(async () => {
  await exporting?.close()
  await chain?.close()
})

const JETTON = raw(facts.jettons[0].address)

describe.each(PROFILES)('profile %s', (profile) => {
  const get = async (path: string, query: Json = {}) => {
    const { status, body } = await chain.clients[profile].get(path, query as never)
    expect([path, query, status]).toEqual([path, query, 200])
    return body as never as Record<string, never>
  }

  test('the newest balances are those of the account states and of the jetton wallets', async () => {
    const wallets = (await get('jetton/wallets', { limit: 100, exclude_zero_balance: true })) as never as {
      jetton_wallets: { owner: string; jetton: string; balance: string; address: string }[]
    }
    const owners = [...new Set(wallets.jetton_wallets.map(({ owner }) => owner))].slice(0, 20)
    const states = (await get('accountStates', { address: owners })) as never as {
      accounts: { address: string; balance: string }[]
    }
    const jettons = [...new Set(wallets.jetton_wallets.map(({ jetton }) => jetton))].slice(0, 50)
    const { balances } = (await get('balances', {
      address: owners,
      asset: ['TON', ...jettons],
    })) as never as {
      balances: {
        address: string
        asset: string
        balance: string
        jetton_wallet: string | null
        reason: null
      }[]
    }
    for (const { address, balance } of states.accounts)
      expect(balances).toContainEqual(
        expect.objectContaining({ address, asset: 'TON', balance, jetton_wallet: null, reason: null }),
      )
    for (const { owner, jetton, balance, address } of wallets.jetton_wallets)
      if (owners.includes(owner) && jettons.includes(jetton))
        expect(balances).toContainEqual(
          expect.objectContaining({ address: owner, asset: jetton, balance, jetton_wallet: address }),
        )
    expect(balances.map(({ address }) => owners.indexOf(address))).toEqual(
      balances.map(({ address }) => owners.indexOf(address)).sort((a, b) => a - b),
    )
  })

  test('holders at a block are those whose histories say so', async () => {
    const holders = (await get('jettonHolders', { jetton: JETTON, mc_seqno: 400, limit: 1000 })) as never as {
      holders: { owner: string; jetton_wallet: string; balance: string }[]
      count: number
      sum: string
      complete: boolean
      mc_seqno: number
    }
    expect(holders).toMatchObject({ mc_seqno: 400, complete: true, count: holders.holders.length })
    expect(holders.sum).toBe(String(holders.holders.reduce((sum, { balance }) => sum + BigInt(balance), 0n)))
    for (const { owner, jetton_wallet, balance } of holders.holders.slice(0, 10)) {
      const reply = (await get('balanceHistory', {
        address: owner,
        asset: JETTON,
        limit: 1000,
        sort: 'asc',
      })) as never as {
        history: { mc_seqno: number; balance: string }[]
        jetton_wallet: string
      }
      expect(reply.jetton_wallet).toBe(jetton_wallet)
      expect(reply.history.filter(({ mc_seqno }) => mc_seqno <= 400).at(-1)?.balance).toBe(balance)
    }
  })

  test('strangers have no balances; blocks that are not indexed are named with those that are', async () => {
    expect(await get('balances', { address: STRANGER })).toMatchObject({ balances: [], mc_seqno: 529 })
    expect(await get('balanceHistory', { address: STRANGER })).toMatchObject({ history: [], asset: 'TON' })
    const nobody = await get('jettonHolders', { jetton: STRANGER })
    expect(nobody).toMatchObject({ holders: [], count: 0, address_book: {}, metadata: {} })
    const client = chain.clients[profile]
    for (const [path, query, text] of [
      ['balances', { address: STRANGER, mc_seqno: 530 }, /block 530 is not indexed; .* 1 to 529 are/],
      ['jettonHolders', { jetton: JETTON, utime: 1 }, /time 1 is not indexed/],
    ] as const) {
      const { status, body } = await client.get(path, query)
      expect([status, body['error']]).toEqual([404, expect.stringMatching(text)])
    }
    for (const [path, query, text] of [
      ['balances', { address: STRANGER, mc_seqno: 5, utime: 5 }, /either mc_seqno or utime/],
      ['balances', { address: STRANGER, asset: 'USDT' }, /"asset".*is not an asset/],
      ['balanceHistory', {}, /"address" is required/],
      ['balanceHistory', { address: STRANGER, resolution: 'week' }, /"resolution"/],
      ['jettonHolders', { jetton: JETTON, min_balance: '-1' }, /"min_balance"/],
    ] as const) {
      const { status, body } = await client.get(path, query)
      expect([path, status, body['error']]).toEqual([path, 422, expect.stringMatching(text)])
    }
  })
})

test('holders by wallet are those by balance; the least balance is a filter', async () => {
  const read = (query: Json) =>
    chain.client.all('jettonHolders', 'holders', { jetton: JETTON, ...query } as never, 3)
  const byBalance = await read({})
  const text = (rows: readonly Json[]) => rows.map((row) => JSON.stringify(row)).sort()
  expect(text(await read({ order: 'wallet' }))).toEqual(text(byBalance))
  const amounts = byBalance.map((row) => BigInt(row['balance'] as string))
  expect(amounts).toEqual([...amounts].sort((a, b) => (a > b ? -1 : 1)))
  const half = amounts[Math.floor(amounts.length / 2)]!
  const greater = await read({ min_balance: String(half) })
  expect(greater.length).toBe(amounts.filter((amount) => amount >= half).length)
})

test('histories and holders are exported as NDJSON and CSV', async () => {
  const wallet = (await chain.client.all('jettonHolders', 'holders', { jetton: JETTON }))[0]![
    'owner'
  ] as string
  const whole = await chain.client.all('balanceHistory', 'history', { address: wallet })
  const read = async (accept: string) =>
    (await fetch(exporting.url('balanceHistory', { address: wallet }), { headers: { accept } })).text()
  const lines = (await read('application/x-ndjson')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(whole)
  expect((await read('text/csv')).split('\r\n')[0]).toBe('utime,mc_seqno,lt,balance,reason')
})

test('no text in CSV is a formula for a spreadsheet', async () => {
  const { rows } = await chain.scratch.pool.query(
    'select account_id, owner_id, domain from dns_entries where owner_id is not null order by 1 limit 1',
  )
  const { account_id, domain } = rows[0]
  const set = (value: string) =>
    chain.scratch.pool.query('update dns_entries set domain = $1 where account_id = $2', [value, account_id])
  const hostile = '=HYPERLINK("http://x";"y").ton'
  await set(hostile)
  try {
    const url = exporting.url('dns/records', { domain: hostile, format: 'csv' })
    expect(await (await fetch(url)).text()).toContain(`"'=HYPERLINK(""http://x"";""y"").ton"`)
  } finally {
    await set(domain)
  }
})
