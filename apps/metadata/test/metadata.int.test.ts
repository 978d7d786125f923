import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { HostLimits, isPublicAddress, MetadataFetcher } from '@shardwalk/metadata'
import { deriveAccountId, type RawAddress } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { applyOverrides } from '../src/overrides.ts'
import { sweepTokens } from '../src/sweep.ts'
import { workMetadata } from '../src/worker.ts'

/** The loops of the process with a real server and a real database. */
let scratch: ScratchDatabase
let server: Server
let host = ''
const asked: string[] = []
beforeAll(async () => {
  scratch = await scratchDatabase()
  server = createServer((request, reply) => {
    asked.push(request.url ?? '')
    if (request.url?.startsWith('/down')) reply.writeHead(503).end()
    else if (request.url?.startsWith('/broken')) reply.end('[1')
    else if (request.url?.startsWith('/nul')) reply.end('{"name":"a\\u0000b","x":["\\ud800"]}')
    else reply.end(JSON.stringify({ name: request.url, decimals: 9 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `token.example:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await scratch.close()
})

const address = (n: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, n) })
const id = (n: number) => deriveAccountId(address(n))
const query = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows

beforeEach(async () => {
  asked.length = 0
  await query(
    'truncate jetton_masters, address_metadata, metadata_queue, metadata_fetcher, metadata_overrides, ' +
      'accounts',
  )
})

async function addJettons(urls: readonly string[]): Promise<void> {
  for (const [i, uri] of urls.entries()) {
    await query("insert into accounts (id, workchain, address, activity) values ($1, 0, $2, '')", [
      id(i + 1),
      address(i + 1).hash,
    ])
    await query(
      'insert into jetton_masters (account_id, lt, mintable, total_supply, content, wallet_code_hash) ' +
        "values ($1, 1, true, 1, $2, '')",
      [id(i + 1), { uri }],
    )
  }
}

const fetcherOf = (
  isAllowed: (address: string) => boolean,
  limits = new HostLimits({ failures: 1000, waiting: 1000 }),
) => new MetadataFetcher({ fetch: { isAllowed, resolve: async () => ['127.0.0.1'] }, limits })
const loopbackToo = (one: string) => one === '127.0.0.1' || isPublicAddress(one)

/** Runs until `done` returns true, then stops everything and waits for it. */
async function run(
  workers: number,
  done: () => Promise<boolean>,
  fetcher = fetcherOf(loopbackToo),
): Promise<void> {
  const abort = new AbortController()
  const { signal } = abort
  const common = { db: scratch.db, log: silentLogger, signal }
  const loops = [
    sweepTokens({ ...common, pauseMs: 20 }),
    ...Array.from({ length: workers }, () =>
      workMetadata({ ...common, fetcher, idleMs: 20, random: () => 0 }),
    ),
  ]
  try {
    await expect.poll(done, { timeout: 20_000, interval: 30 }).toBe(true)
  } finally {
    abort.abort()
    await Promise.all(loops)
  }
}

const count = async (table: string): Promise<number> =>
  Number((await query(`select count(*) as n from ${table}`))[0].n)

test('tokens are found, fetched once by one worker, and stored without invalid characters', async () => {
  await addJettons([
    ...Array.from({ length: 30 }, (_, i) => `http://${host}/${i}.json`),
    `http://${host}/nul`,
  ])
  await run(2, async () => (await count('address_metadata')) === 31 && (await count('metadata_queue')) === 0)
  expect(asked.length).toBe(31)
  const rows = await query('select valid, name, extra from address_metadata order by account_id')
  expect(rows[0]).toEqual({
    valid: true,
    name: '/0.json',
    extra: { uri: `http://${host}/0.json`, decimals: '9' },
  })
  expect(rows[30]).toMatchObject({ name: 'ab', extra: { x: [''] } })
})

test('a server that is down is retried later, an invalid document is abandoned at once', async () => {
  await addJettons([`http://${host}/down`, `http://${host}/broken`])
  await run(1, async () => (await count('address_metadata')) === 1 && asked.includes('/down'))
  expect(await query('select account_id, valid from address_metadata')).toEqual([
    { account_id: id(2), valid: false },
  ])
  expect(
    await query('select account_id, attempts, fault, due_at > now() as later from metadata_queue'),
  ).toEqual([{ account_id: id(1), attempts: 1, fault: 'status', later: true }])
})

test('an override applies as soon as its token is indexed; an unreadable file is ignored', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'shardwalk-overrides-')), 'overrides.json')
  const content = { symbol: 'MINE', name: 'Mine' }
  const key = `0:${'01'.repeat(32).toUpperCase()}`
  await writeFile(file, JSON.stringify({ content_overrides: { jetton_masters: { [key]: content } } }))
  const abort = new AbortController()
  const common = { db: scratch.db, log: silentLogger, signal: abort.signal, againMs: 20 }
  await applyOverrides({ ...common, file: `${file}.missing` })
  const applying = applyOverrides({ ...common, file })
  await addJettons([`http://${host}/broken`])
  await applying
  await run(1, async () => (await count('address_metadata')) === 1)
  expect(await query('select valid, name, symbol from address_metadata')).toEqual([
    { valid: true, ...content },
  ])
  expect(asked).toEqual([])
  abort.abort()
  await rm(dirname(file), { recursive: true })
})

test('with the default policy no token makes the process connect to this machine', async () => {
  await addJettons([
    `http://${host}/a`,
    `http://127.0.0.1:${host.split(':')[1]}/b`,
    `http://localhost:${host.split(':')[1]}/c`,
  ])
  await run(1, async () => (await count('address_metadata')) === 3, fetcherOf(isPublicAddress))
  expect(asked).toEqual([])
  expect(new Set((await query('select valid from address_metadata')).map((row) => row.valid))).toEqual(
    new Set([false]),
  )
})

test('tokens of a host that is down are given up in the end, paused or not', async () => {
  await addJettons(Array.from({ length: 8 }, (_, i) => `http://${host}/down/${i}`))
  const limits = new HostLimits({ failures: 2, restMs: 10_000_000 })
  const areGivenUp = async () => {
    // All that is put off is due at once; what is leased is not.
    await query(
      `update metadata_queue set due_at = now()
       where due_at not between now() + interval '50 s' and now() + interval '61 s'`,
    )
    return (await count('address_metadata')) === 8
  }
  await run(1, areGivenUp, fetcherOf(loopbackToo, limits))
  expect(limits.resting).toBe(1)
  expect(asked.length).toBeLessThan(48)
  expect(await query('select distinct valid from address_metadata')).toEqual([{ valid: false }])
})

test('a queue full of items does not keep jettons from it', async () => {
  await addJettons([`http://${host}/1`])
  await query(
    `insert into metadata_queue (account_id, type, priority, due_at, source_hash)
     select n, 0, 3, now() + interval '1 hour', '' from generate_series(1, 60000) n`,
  )
  await run(1, async () => (await count('address_metadata')) === 1)
  expect(asked).toEqual(['/1'])
})
