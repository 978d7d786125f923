import { ApiError, type ExportName, V3Client } from '@shardwalk/client'
import { isLong } from '@shardwalk/testkit/runs'
import { Address } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jettonPortfolio } from '../../../packages/client/examples/jetton-portfolio.ts'
import { incomingPayments } from '../../../packages/client/examples/payments.ts'
import { transfersAsCsv } from '../../../packages/client/examples/transfers-csv.ts'
import { Client, type Json } from './client.ts'
import { ChainUnderApi, facts, raw } from './contracts/chain-under-api.ts'

/** The client of packages/client and its examples, against the recorded chain. */
let chain: ChainUnderApi
let v3: V3Client
beforeAll(async () => {
  chain = await ChainUnderApi.start()
  v3 = new V3Client({ url: chain.client.server.url })
})
afterAll(() => chain?.close())

async function collect<T>(rows: AsyncIterable<T>, limit = Number.POSITIVE_INFINITY): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) if (found.push(row) >= limit) break
  return found
}

/** What a message that is sent back begins with. */
const BOUNCED = 0xffffffff

/** The account that refused most messages. */
async function mostRefusing(): Promise<string> {
  const counts = new Map<string, number>()
  for await (const { source } of v3.rows('messages', { opcode: BOUNCED }))
    counts.set(source!, (counts.get(source!) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]![0]
}

describe('reading', () => {
  test('rows of all pages are the list, each once, whatever the size of a page', async () => {
    const whole = await collect(v3.rows('blocks', {}))
    expect(whole.length).toBeGreaterThan(1000)
    const paged = await collect(v3.rows('blocks', { limit: 117 }))
    expect(paged).toEqual(whole)
  })

  test('an address may be text or an object of @ton/core, a hash bytes, an lt a bigint', async () => {
    const [one] = await collect(v3.rows('transactions', { workchain: 0 }), 1)
    const { account, lt } = one!
    const hash = Buffer.from(one!.hash, 'base64')
    for (const query of [
      { account, lt: BigInt(lt) },
      { account: Address.parse(account), lt },
      { account: [Address.parse(account)], hash },
      { hash: [hash, one!.hash] },
    ])
      expect((await v3.get('transactions', query)).transactions).toEqual([one])
  })

  test('a wallet finds decimals of every jetton of every owner, though nothing was fetched', async () => {
    const owners = new Set<string>()
    for await (const { owner } of v3.rows('jetton/wallets', {})) owners.add(owner)
    for (const owner of owners) {
      const { jetton_wallets, metadata } = await v3.get('jetton/wallets', { owner_address: [owner] })
      for (const { jetton } of jetton_wallets) {
        const info = metadata[jetton]!.token_info.find(({ type }) => type === 'jetton_masters')!
        expect(info.extra!['decimals'], jetton).toMatch(/^\d+$/)
      }
    }
    expect(owners.size).toBeGreaterThan(10)
  })

  test('a refusal is an error with status and text', async () => {
    const error = await v3.get('blocks', { limit: 5000 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 422, message: expect.stringContaining('"limit"') })
  })

  test('a signal ends a list', async () => {
    const stop = new AbortController()
    const rows = v3.rows('transactions', { limit: 1 }, { signal: stop.signal })
    expect((await rows.next()).done).toBe(false)
    stop.abort()
    await expect(rows.next()).rejects.toThrow()
  })
})

/** Each, by the types of the client. */
const EXPORTS: Readonly<Record<ExportName, true>> = {
  blocks: true,
  masterchainBlockShardState: true,
  masterchainBlockShards: true,
  transactions: true,
  transactionsByMasterchainBlock: true,
  transactionsByMessage: true,
  messages: true,
  traces: true,
  actions: true,
  balanceHistory: true,
  jettonHolders: true,
  topAccountsByBalance: true,
  'jetton/masters': true,
  'jetton/wallets': true,
  'jetton/transfers': true,
  'jetton/burns': true,
  'nft/collections': true,
  'nft/items': true,
  'nft/transfers': true,
  'dns/records': true,
  'dns/activeAuctions': true,
  'multisig/wallets': true,
  'multisig/orders': true,
  vesting: true,
}

describe('exports', () => {
  let exporting: Client
  let some: V3Client
  beforeAll(async () => {
    exporting = await Client.start(chain.scratch, { exportMaxRows: 700 })
    some = new V3Client({ url: exporting.server.url })
  })
  afterAll(() => exporting?.close())

  test('are those of the description', async () => {
    const { body } = await chain.client.get<{ paths: Json }>('openapi.json')
    const described = Object.keys(body.paths).flatMap(
      (path) => /^\/api\/v3\/export\/(.+)$/.exec(path)?.[1] ?? [],
    )
    expect(Object.keys(EXPORTS).sort()).toEqual(described.sort())
  })

  test('rows continue behind what the operator allows at a time, up to a limit', async () => {
    const query = { sort: 'asc' } as const
    const whole = await collect(v3.rows('blocks', query))
    expect(whole.length).toBeGreaterThan(1000)
    expect(await collect(some.exportRows('blocks', query))).toEqual(whole)
    expect(await collect(some.exportRows('blocks', { ...query, offset: 3, limit: 800 }))).toEqual(
      whole.slice(3, 803),
    )
  })

  test('bytes are what the server writes', async () => {
    const bytes = Buffer.concat(await collect(some.exportBytes('blocks', { format: 'csv', limit: 2 })))
    const written = await fetch(exporting.url('export/blocks', { format: 'csv', limit: 2 }))
    expect(bytes.toString()).toBe(await written.text())
    expect(bytes.toString().split('\r\n')).toHaveLength(4)
  })

  test('one that is refused is an error', async () => {
    await expect(collect(v3.exportRows('blocks', {}))).rejects.toMatchObject({ status: 406 })
  })
})

describe('examples', () => {
  test('the payment processor books what the account kept, each once, over restarts', async () => {
    const account = await mostRefusing()
    const whole = await collect(incomingPayments(v3, { account, afterLt: 0n }))
    expect(whole.length).toBeGreaterThan(10)
    const booked: typeof whole = []
    for (;;) {
      const afterLt = BigInt(booked.at(-1)?.lt ?? 0)
      const some = await collect(incomingPayments(v3, { account, afterLt }), isLong ? 7 : 29)
      if (some.length === 0) break
      booked.push(...some)
    }
    expect(booked).toEqual(whole)
    const listed = await chain.client.all('transactions', 'transactions', { account, sort: 'asc' })
    const received = listed.filter((row) => {
      const message = row['in_msg'] as Json | null
      return message?.['source'] && !message['bounced']
    })
    const isReturned = (row: Json) => (row['out_msgs'] as Json[]).some((message) => message['bounced'])
    const paid = received.filter((row) => !isReturned(row))
    // Some were returned, and some were kept though the transaction was aborted.
    const isAborted = (row: Json) => (row['description'] as Json)['aborted']
    expect(paid.length).toBeLessThan(received.length)
    expect(paid.filter(isAborted).length).toBeGreaterThan(5)
    expect(booked.map(({ hash }) => hash)).toEqual(paid.map((row) => row['hash']))
  })

  test('the portfolio has every jetton of an owner, with its decimal point', async () => {
    const wallets = facts.jettons.flatMap((jetton: Json) =>
      (jetton['wallets'] as Json[]).map((wallet) => ({ ...wallet, jetton: raw(String(jetton['address'])) })),
    )
    const owner = raw(String(wallets.find((one: Json) => BigInt(String(one['balance'])) > 0n)['owner']))
    const held = wallets.filter(
      (one: Json) => raw(String(one['owner'])) === owner && BigInt(String(one['balance'])) > 0n,
    )
    const portfolio = await jettonPortfolio(v3, owner)
    for (const { jetton, balance } of held) {
      const shown = portfolio.find((one) => one.jetton === jetton)!
      expect(shown.balance.replace('.', '').replace(/^0+/, '')).toBe(String(balance).replace(/0+$/, ''))
    }
  })

  test('the CSV has a line for every transfer of the owner in the period', async () => {
    const [first] = await collect(v3.rows('jetton/transfers', { sort: 'asc' }), 1)
    const period = { owner: first!.source, from: 0, to: 4_294_967_295 }
    const [header, ...lines] = (await collect(transfersAsCsv(v3, period))).map((line) =>
      line.trimEnd().split(','),
    )
    const listed = await chain.client.all('jetton/transfers', 'jetton_transfers', {
      owner_address: first!.source,
      sort: 'asc',
    })
    expect(header).toHaveLength(6)
    expect(lines.map((line) => line[5])).toEqual(listed.map((row) => row['transaction_hash']))
  })
})
