import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sweepAirdrops } from '@shardwalk/db'
import { HostLimits, isPublicAddress, MetadataFetcher } from '@shardwalk/metadata'
import { deriveAccountId, formatRawAddress } from '@shardwalk/model'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import {
  type MintlessItem,
  mintlessJetton,
  randomFrom,
  type ScratchDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importAirdrops } from '../src/airdrops/import-airdrops.ts'
import { deployMaster, describeMaster, type Jetton, MASTER, MASTER_ID } from './mintless-master.ts'

const random = randomFrom(testSeed())

/** Owners per transaction: a contract is asked for the wallet of each of them, which takes a millisecond. */
const BATCH = isLong ? 500 : 60

const tvm = new TvmPool({ cacheSize: 0 })

/** The loop of the process with a real server, a real database and a real contract. */
let scratch: ScratchDatabase
let server: Server
let host = ''
const files = new Map<string, Buffer>()
const asked: string[] = []
const warnings: unknown[] = []
beforeAll(async () => {
  scratch = await scratchDatabase()
  server = createServer((request, reply) => {
    asked.push(request.url ?? '')
    const file = files.get(request.url ?? '')
    if (file) reply.end(file)
    else reply.writeHead(503).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `mintless.example:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await tvm.close()
  await scratch.close()
})

// biome-ignore lint/suspicious/noExplicitAny: rows of any table, compared unchanged
const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await scratch.pool.query(text, values)).rows
const bytes = (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))
const ownersOf = (count: number): MintlessItem[] =>
  Array.from({ length: count }, (_, index) => ({
    owner: { workchain: 0, hash: bytes(32) },
    amount: BigInt(1 + Math.floor(random() * 2 ** 40)),
    startFrom: 1_700_000_000 + index,
    expiredAt: 1_900_000_000 + index,
  }))

async function publish(jetton: Jetton, lt = 10n): Promise<void> {
  files.set('/list', jetton.dump)
  await deployMaster(scratch, jetton, lt)
  await describeMaster(scratch, `http://${host}/list`)
}

beforeEach(async () => {
  asked.length = 0
  warnings.length = 0
  files.clear()
  await query(
    `truncate jetton_masters, jetton_wallets, contracts, mintless_jettons, mintless_claims, address_metadata,
       former_contracts, latest_account_states, contract_data, refresh_queue, accounts`,
  )
})

interface RunOptions {
  readonly workers?: number
  readonly maxBytes?: number
  readonly isAllowed?: (address: string) => boolean
  readonly limits?: HostLimits
}
const loopbackToo = (one: string) => one === '127.0.0.1' || isPublicAddress(one)

/** Runs until `done` returns true, then stops everything and waits for it. */
async function run(done: () => Promise<boolean>, options: RunOptions = {}): Promise<void> {
  const { workers = 1, maxBytes = 2 ** 20, isAllowed = loopbackToo } = options
  const { limits = new HostLimits({ failures: 1000, waiting: 1000 }) } = options
  const abort = new AbortController()
  const fetch = { isAllowed, resolve: async () => ['127.0.0.1'] }
  const fetcher = new MetadataFetcher({ fetch, limits })
  const log = { ...silentLogger, warn: (...entry: unknown[]) => void warnings.push(entry) }
  const common = { database: scratch, fetcher, tvm, metrics: noMetrics, log, signal: abort.signal }
  const loops = Array.from({ length: workers }, () =>
    importAirdrops({ ...common, maxBytes, batch: BATCH, pauseMs: 20 }),
  )
  try {
    await expect.poll(done, { timeout: 30_000, interval: 10 }).toBe(true)
  } finally {
    abort.abort()
    await Promise.all(loops)
  }
}

const state = async () => (await query('select * from mintless_jettons'))[0]
const isImported = async () => (await state())?.imported_at != null
const hasFailed = async () => (await state())?.fault != null

interface Found {
  readonly owner: string
  readonly wallet: string
  readonly amount: string
  readonly balance: string | null
}
/** Claims with their wallets, in order of owners. */
const found = async (): Promise<Found[]> =>
  await query(
    `select encode(o.address, 'hex') as owner, encode(a.address, 'hex') as wallet, c.amount, w.balance
     from mintless_claims c join accounts o on o.id = c.owner_id join accounts a on a.id = c.wallet_id
     left join jetton_wallets w
       on w.account_id = c.wallet_id and w.owner_id = c.owner_id and w.jetton_id = c.jetton_id
     order by 1`,
  )
const expected = (items: readonly MintlessItem[], jetton: Jetton): Found[] =>
  items
    .map(({ owner, amount }) => ({
      owner: owner.hash.toString('hex'),
      wallet: jetton.walletOf(owner).hash.toString('hex'),
      amount: String(amount),
      balance: '0',
    }))
    .sort((a, b) => (a.owner < b.owner ? -1 : 1))

describe('a list', () => {
  test('is imported by one process, with a claim and a wallet for every owner', async () => {
    const items = ownersOf(isLong ? 1_203 : 2 * BATCH + 3)
    const jetton = mintlessJetton({ items })
    await publish(jetton)
    await run(isImported, { workers: 3 })
    expect(await found()).toEqual(expected(items, jetton))
    expect(asked).toEqual(['/list'])
    const [first] = items
    const times = await query('select start_from, expire_at from mintless_claims where wallet_id = $1', [
      deriveAccountId(jetton.walletOf(first!.owner)),
    ])
    expect(times).toEqual([{ start_from: BigInt(first!.startFrom), expire_at: BigInt(first!.expiredAt) }])
    expect(await state()).toMatchObject({
      entries: BigInt(items.length),
      fault: null,
      custom_payload_api_uri: ['https://claim.example/'],
    })
  })

  test('leaves deployed wallets unchanged and creates none for former contracts', async () => {
    const items = ownersOf(3)
    const jetton = mintlessJetton({ items })
    await publish(jetton)
    const [deployed, ended] = items.map(({ owner }) => jetton.walletOf(owner))
    await query(
      'insert into jetton_wallets (account_id, lt, owner_id, jetton_id, is_claimed, balance, ' +
        "code_hash) values ($1, 5, $2, $3, true, 77, '')",
      [deriveAccountId(deployed!), deriveAccountId(items[0]!.owner), MASTER_ID],
    )
    await query('insert into former_contracts (account_id, lt) values ($1, 3)', [deriveAccountId(ended!)])
    await run(isImported)
    const balances = new Map((await found()).map((one) => [one.owner, one.balance]))
    expect(items.map(({ owner }) => balances.get(owner.hash.toString('hex')))).toEqual(['77', null, '0'])
  })

  test('resumes where it was interrupted', async () => {
    const items = ownersOf(isLong ? 2_400 : 10 * BATCH)
    const jetton = mintlessJetton({ items })
    await publish(jetton)
    await run(async () => ((await state())?.entries ?? 0n) > 0n)
    const { entries } = await state()
    console.log(`interrupted after ${entries} of ${items.length}`)
    expect(await isImported()).toBe(false)
    // Rows written before the interruption must stay unchanged, because the import does not start over.
    await query('update mintless_claims set amount = 0')
    await run(isImported)
    const rows = await found()
    expect(rows.map((one) => one.wallet)).toEqual(expected(items, jetton).map((one) => one.wallet))
    expect(rows.filter((one) => one.amount === '0').length).toBe(Number(entries))
  })

  test('is replaced if the jetton commits to another one, and removed if it commits to none', async () => {
    const items = ownersOf(40)
    await publish(mintlessJetton({ items }))
    await run(isImported)
    const others = [...items.slice(0, 10).map((item) => ({ ...item, amount: 1n })), ...ownersOf(20)]
    const jetton = mintlessJetton({ items: others })
    await publish(jetton, 20n)
    await run(async () => {
      const { imported_at, airdrop_root } = await state()
      return imported_at !== null && airdrop_root.equals(jetton.root)
    })
    expect(await found()).toEqual(expected(others, jetton))
    expect(await query('select count(*)::int as n from jetton_wallets')).toEqual([{ n: others.length }])

    await query('update jetton_masters set airdrop_root = null')
    await run(async () => (await state()) === undefined)
    for (const table of ['mintless_claims', 'jetton_wallets'])
      expect(await query(`select * from ${table}`)).toEqual([])
  })

  test('is imported again if the master derives other wallets', async () => {
    const items = ownersOf(30)
    await publish(mintlessJetton({ items, salt: 1 }))
    await run(isImported)
    const jetton = mintlessJetton({ items, salt: 2 })
    await publish(jetton, 20n)
    await sweepAirdrops(scratch.db)
    expect(await isImported()).toBe(false)
    await run(isImported)
    expect(await found()).toEqual(expected(items, jetton))
    expect(await query('select count(*)::int as n from jetton_wallets')).toEqual([{ n: items.length }])
  })

  test('is not fetched again if a document has another URL or other services', async () => {
    await publish(mintlessJetton({ items: ownersOf(3) }))
    await run(isImported)
    await describeMaster(scratch, `http://${host}/elsewhere`, ['https://a.example', 5, 'https://b.example'])
    const urisOf = async () => (await state()).custom_payload_api_uri
    await run(async () => (await urisOf())?.length === 2)
    expect(await urisOf()).toEqual(['https://a.example', 'https://b.example'])
    expect(asked).toEqual(['/list'])
  })
})

describe('nothing is written', () => {
  const list = () => mintlessJetton({ items: ownersOf(5) }).dump
  test.each<{ what: string; fault: string; file?: () => Buffer; options?: RunOptions }>([
    { what: 'of a file that is not the list that the chain commits to', fault: 'parse', file: list },
    { what: 'of a file that is not a bag of cells', fault: 'parse', file: () => Buffer.from('<html>') },
    { what: 'of a file that is larger than allowed', fault: 'too_big', options: { maxBytes: 100 } },
    { what: 'of a host that is not public', fault: 'blocked', options: { isAllowed: isPublicAddress } },
  ])('$what', async ({ fault, file, options }) => {
    await publish(mintlessJetton({ items: ownersOf(20) }))
    if (file) files.set('/list', file())
    await run(hasFailed, options)
    expect(await state()).toMatchObject({ fault, entries: 0n, imported_at: null })
    const logged = { jetton: formatRawAddress(MASTER), uri: `http://${host}/list`, fault }
    expect(warnings).toEqual([
      ['owner list not imported', { ...logged, error: expect.any(Error), retry_in_ms: 86_400_000 }],
    ])
    expect(await query("select due_at > now() + interval '23 hours' as later from mintless_jettons")).toEqual(
      [{ later: true }],
    )
    expect(await found()).toEqual([])
  })

  test('while a host is down or the state of the master is unknown; it is retried later', async () => {
    const jetton = mintlessJetton({ items: ownersOf(5) })
    await publish(jetton)
    files.clear()
    await run(hasFailed)
    expect(await state()).toMatchObject({ fault: 'status', attempts: 1 })
    files.set('/list', jetton.dump)
    await query('delete from contract_data')
    await query('update mintless_jettons set due_at = now()')
    await run(async () => (await state()).fault === 'state')
    expect(await query("select due_at < now() + interval '5 minutes' as soon from mintless_jettons")).toEqual(
      [{ soon: true }],
    )
    expect(await found()).toEqual([])
  })

  test('while its host rests after failures, which is no attempt and ends with the rest', async () => {
    await publish(mintlessJetton({ items: ownersOf(5) }))
    files.clear()
    const limits = new HostLimits({ failures: 1, restMs: 3_000_000 })
    await run(hasFailed, { limits })
    expect(await state()).toMatchObject({ fault: 'status', attempts: 1 })
    await query('update mintless_jettons set due_at = now()')
    await run(async () => (await state()).fault !== 'status', { limits })
    expect(await state()).toMatchObject({ fault: 'busy', attempts: 1 })
    const [due] = await query("select due_at > now() + interval '45 minutes' as late from mintless_jettons")
    expect(due).toEqual({ late: true })
    expect(asked).toEqual(['/list'])
  })
})
