import { masterchainId } from '@shardwalk/model'
import { createMetrics } from '@shardwalk/observability'
import { isLong } from '@shardwalk/testkit/runs'
import { afterEach, expect, test } from 'vitest'
import type { AdnlConnection } from '../src/adnl/client.ts'
import { LiteServerPool } from '../src/index.ts'
import type { PoolOptions } from '../src/pool/pool-core.ts'
import { fileOf, idOf } from './fake-chain.ts'
import {
  type Behavior,
  BLOCK_MS,
  connectTo,
  FIRST_HEAD,
  randomFrom,
  SimulatedClock,
  SimulatedServer,
  timeOf,
} from './simulation.ts'

const seed = Number(process.env['SEED'] ?? 20_260)

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close()
})

function simulate(behaviors: readonly Behavior[], options: Partial<PoolOptions> = {}) {
  console.log(`seed ${seed}`)
  const clock = new SimulatedClock()
  const random = randomFrom(seed)
  const servers = behaviors.map((behavior, i) => new SimulatedServer(`s${i}`, behavior, clock, random))
  const pool = new LiteServerPool({
    servers: servers.map(({ address }) => address),
    clock,
    random,
    connect: connectTo(servers),
    ...options,
  })
  cleanUp.push(() => pool.close())
  return { clock, servers, pool }
}

/** Fetches old blocks from `seqno` downwards with many queries at a time. */
function backfill(pool: LiteServerPool, from: number, workers: number) {
  const progress = { blocks: 0, isStopped: false }
  let next = from
  const work = async () => {
    while (!progress.isStopped) {
      const seqno = next--
      const bytes = await pool.getBlock(idOf(seqno), { timeoutMs: 60_000 }).catch(() => undefined)
      if (bytes?.equals(fileOf(seqno))) progress.blocks++
    }
  }
  for (let i = 0; i < workers; i++) void work()
  return progress
}

/** Fetches every new block and records by how much later than it appeared it was there. */
function followHead(pool: LiteServerPool, clock: SimulatedClock) {
  const progress = { lags: [] as number[], isStopped: false }
  const follow = async () => {
    for (let seqno = FIRST_HEAD + 1; !progress.isStopped; ) {
      try {
        const id = await pool.waitMasterchainSeqno(seqno, { timeoutMs: 10_000 })
        if (!id) continue
        await pool.getBlock(id, { urgent: true })
        progress.lags.push(clock.now() - timeOf(seqno))
        seqno++
      } catch {
        if (progress.isStopped) return
      }
    }
  }
  void follow()
  return progress
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

const blockRequests = (servers: readonly SimulatedServer[]): number =>
  servers.reduce((sum, server) => sum + server.countOf('getBlock', 'lookupBlock'), 0)

const YOUNG = FIRST_HEAD - 20_000

test('with 3 stale, 2 limited, 1 slow, 1 closing and 1 good server, head and backfill keep up', async () => {
  const stale: Behavior = { staleBy: 20, oldest: YOUNG }
  const limited: Behavior = { perSecond: 5 }
  const { clock, servers, pool } = simulate([
    stale,
    stale,
    stale,
    limited,
    limited,
    { latencyMs: 2000, oldest: YOUNG },
    { closes: 0.05, oldest: YOUNG },
    { oldest: YOUNG },
  ])
  const head = followHead(pool, clock)
  const history = backfill(pool, YOUNG - 1, 32)
  await clock.run(60_000)
  head.isStopped = history.isStopped = true
  const fetched = history.blocks + head.lags.length
  expect(head.lags.length).toBeGreaterThanOrEqual(60 * 2.5 - 5)
  expect(median(head.lags)).toBeLessThanOrEqual(1000)
  expect(history.blocks / 60).toBeGreaterThanOrEqual(10 * 0.8)
  expect(history.blocks / 60).toBeLessThanOrEqual(10 * 1.2)
  expect(blockRequests(servers) / fetched).toBeLessThanOrEqual(1.3)
})

test('backfill reaches the sum of all rate limits within 20 %, with few refusals', async () => {
  const limits = [5, 5, 10, 10, 20, 20, 30, 30]
  const { clock, servers, pool } = simulate(limits.map((perSecond) => ({ perSecond })))
  const history = backfill(pool, 90_000, 64)
  await clock.run(20_000)
  const [blocksBefore, requestsBefore] = [history.blocks, blockRequests(servers)]
  const seconds = isLong ? 60 : 30
  await clock.run(seconds * 1000)
  history.isStopped = true
  const blocks = history.blocks - blocksBefore
  const sum = limits.reduce((total, limit) => total + limit, 0)
  expect(blocks / seconds / sum).toBeGreaterThanOrEqual(0.8)
  expect(blocks / seconds / sum).toBeLessThanOrEqual(1.2)
  expect((blockRequests(servers) - requestsBefore) / blocks).toBeLessThanOrEqual(1.1)
})

test('urgent queries to a limited server do not wait behind a backfill', async () => {
  const { clock, pool } = simulate([{ perSecond: 15 }])
  const history = backfill(pool, 90_000, 40)
  const head = followHead(pool, clock)
  await clock.run(10_000)
  head.lags.length = 0
  await clock.run(30_000)
  head.isStopped = history.isStopped = true
  expect(median(head.lags)).toBeLessThanOrEqual(1000)
  expect(history.blocks).toBeGreaterThan(60)
})

test('the learned rate is measured, and follows a limit that changes', async () => {
  const metrics = createMetrics()
  const { clock, servers, pool } = simulate([{ perSecond: 5 }], { metrics })
  const history = backfill(pool, 90_000, 10)
  await clock.run(30_000)
  const learned = () => pool.servers()[0]!.requestsPerSecond!
  expect(learned()).toBeGreaterThan(3.5)
  expect(learned()).toBeLessThan(6.5)
  expect(await metrics.text()).toMatch(/liteserver_rate_limit\{server="s0:1"\} [3-6]/)
  servers[0]!.behavior = { perSecond: 20 }
  await clock.run(120_000)
  expect(learned()).toBeGreaterThan(15)
  history.isStopped = true
})

test('a query waits for the rate within its deadline and is not sent after it', async () => {
  const { clock, servers, pool } = simulate([{ perSecond: 1 }])
  await clock.run(5000)
  const results = Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => pool.getBlock(idOf(i + 1), { timeoutMs: 8000 })),
  )
  await clock.run(8500)
  const answered = (await results).filter(({ status }) => status === 'fulfilled').length
  expect(answered).toBeGreaterThanOrEqual(3)
  const sent = servers[0]!.countOf('getBlock')
  await clock.run(20_000)
  expect(servers[0]!.countOf('getBlock')).toBe(sent)
})

test('patience lets queries wait for the rate, but not for servers that are away', async () => {
  const { clock, pool } = simulate([{ perSecond: 1 }])
  const away = expect(pool.getBlock(idOf(1), { timeoutMs: 0, patienceMs: 60_000 })).rejects.toThrow()
  await clock.run(1)
  await away
  await clock.run(5000)
  const results = Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => pool.getBlock(idOf(i + 1), { timeoutMs: 8000, patienceMs: 60_000 })),
  )
  await clock.run(60_000)
  expect((await results).filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
})

test('a server is asked once for blocks that it no longer has, and again after hours', async () => {
  // Too close to the head, and no archive server: nothing but its refusal speaks against the faster one.
  const oldest = FIRST_HEAD - 500
  const { clock, servers, pool } = simulate([
    { oldest, latencyMs: 20 },
    { oldest: 10, latencyMs: 80 },
  ])
  const young = servers[0]!
  await clock.run(1000)
  const fetch = async (seqno: number) => {
    const fetched = pool.getBlock(idOf(seqno))
    await clock.run(500)
    expect(await fetched).toEqual(fileOf(seqno))
  }
  // The faster server is asked first for what it has.
  await fetch(oldest + 1)
  expect(young.countOf('getBlock')).toBe(1)
  for (let seqno = oldest - 1; seqno > oldest - 20; seqno--) await fetch(seqno)
  expect(young.countOf('getBlock')).toBe(2)
  expect(pool.servers()[0]!.missingUpTo).toBe(oldest - 1)
  clock.sleep(6 * 3_600_000)
  await clock.run(5000)
  await fetch(oldest - 30)
  expect(young.countOf('getBlock')).toBe(3)
})

test('a slow server is asked for one old block until it shows whether it has them', async () => {
  const oldest = FIRST_HEAD - 500
  const { clock, servers, pool } = simulate([{ oldest, latencyMs: 2000 }, { perSecond: 5 }])
  const history = backfill(pool, oldest - 1, 32)
  await clock.run(30_000)
  history.isStopped = true
  expect(history.blocks).toBeGreaterThan(100)
  // One that begins while the answer is on its way is possible.
  expect(servers[0]!.countOf('getBlock')).toBeLessThanOrEqual(2)
})

test('servers that lack blocks just behind the head are known after a few refusals', async () => {
  const { clock, servers, pool } = simulate([
    { oldest: FIRST_HEAD, latencyMs: 20 },
    { oldest: 10, latencyMs: 80 },
  ])
  await clock.run(1000)
  for (let back = 1; back <= 12; back++) {
    const fetched = pool.getBlock(idOf(FIRST_HEAD - back))
    await clock.run(500)
    expect(await fetched).toEqual(fileOf(FIRST_HEAD - back))
  }
  expect(servers[0]!.countOf('getBlock')).toBeLessThanOrEqual(4)
})

test('what a server lacks is learned from shard blocks too, by the block that commits them', async () => {
  const oldest = FIRST_HEAD - 500
  const { clock, servers, pool } = simulate([
    { oldest, latencyMs: 20 },
    { oldest: 10, latencyMs: 80 },
  ])
  await clock.run(1000)
  for (let seqno = oldest - 1; seqno > oldest - 10; seqno--) {
    const fetched = pool.getBlock({ ...idOf(seqno), workchain: 0 }, { committedBy: seqno })
    await clock.run(500)
    expect(await fetched).toEqual(fileOf(seqno))
  }
  expect(servers[0]!.countOf('getBlock')).toBe(1)
  expect(pool.servers()[0]!.missingUpTo).toBe(oldest - 1)
})

test('blocks older than all servers have are refused without asking, for some hours', async () => {
  const { clock, servers, pool } = simulate([{ oldest: YOUNG }])
  await clock.run(1000)
  const ask = async (seqno: number) => {
    const refusal = expect(pool.lookupBlock(masterchainId(seqno))).rejects.toMatchObject({ serverCode: 651 })
    await clock.run(10_000)
    await refusal
  }
  await ask(YOUNG - 1)
  const asked = servers[0]!.countOf('lookupBlock')
  for (let seqno = YOUNG - 2; seqno > YOUNG - 30; seqno--) await ask(seqno)
  expect(servers[0]!.countOf('lookupBlock')).toBe(asked)
  servers[0]!.behavior = { oldest: 10 }
  clock.sleep(6 * 3_600_000)
  await clock.run(5000)
  const found = pool.lookupBlock(masterchainId(YOUNG - 5))
  await clock.run(1000)
  expect(await found).toEqual(idOf(YOUNG - 5))
})

test('ids that clients invent say nothing about how far back the blocks of servers go', async () => {
  const { clock, servers, pool } = simulate([{ oldest: YOUNG }, { oldest: YOUNG }])
  await clock.run(1000)
  const invented = { ...idOf(YOUNG + 500), rootHash: Buffer.alloc(32, 1) }
  const refusal = expect(pool.getBlock(invented, { unproven: true })).rejects.toMatchObject({
    serverCode: 651,
  })
  await clock.run(10_000)
  await refusal
  expect(servers.map((server) => server.countOf('getBlock')).every((count) => count >= 3)).toBe(true)
  expect(pool.servers().map(({ missingUpTo }) => missingUpTo)).toEqual([undefined, undefined])
  const found = pool.lookupBlock(masterchainId(YOUNG + 500))
  await clock.run(1000)
  expect(await found).toEqual(idOf(YOUNG + 500))
})

const ACCOUNT = { workchain: 0, hash: Buffer.alloc(32, 7) }
const transaction = (seqno: number) => ({ lt: BigInt(seqno), hash: Buffer.alloc(32, seqno), count: 10 })

test('the newest transaction comes from the server that has it, though a faster one is behind', async () => {
  const { clock, servers, pool } = simulate([
    { oldest: YOUNG, latencyMs: 75 },
    { oldest: YOUNG, latencyMs: 15, staleBy: 1 },
  ])
  await clock.run(1000)
  const newest = pool.head()!.seqno
  const found = pool.getTransactions(ACCOUNT, transaction(newest))
  await clock.run(500)
  expect((await found).ids).toEqual([idOf(newest)])
  expect(servers.map((server) => server.countOf('getTransactions'))).toEqual([1, 1])
})

test('what a server with the newest block does not know is asked of no server without history', async () => {
  const { clock, servers, pool } = simulate([
    { oldest: YOUNG, latencyMs: 15 },
    { oldest: YOUNG, latencyMs: 75, staleBy: 1 },
  ])
  await clock.run(1000)
  const refusal = expect(pool.getTransactions(ACCOUNT, transaction(7))).rejects.toMatchObject({
    serverCode: -400,
  })
  await clock.run(500)
  await refusal
  expect(servers.map((server) => server.countOf('getTransactions'))).toEqual([1, 0])
})

test('a proxy that does not wait is asked a few times per second, and its head is followed', async () => {
  const { clock, servers, pool } = simulate([{ ignoresWaits: true, latencyMs: 2 }])
  const head = followHead(pool, clock)
  await clock.run(20_000)
  head.isStopped = true
  expect(servers[0]!.countOf('getMasterchainInfo') / 20).toBeLessThanOrEqual(6)
  expect(median(head.lags)).toBeLessThanOrEqual(500)
})

test('a proxy that does not know how to wait has its head followed and gives new blocks', async () => {
  const { clock, servers, pool } = simulate([{ refusesWaits: true }])
  const head = followHead(pool, clock)
  await clock.run(20_000)
  head.isStopped = true
  expect(median(head.lags)).toBeLessThanOrEqual(500)
  expect(servers[0]!.countOf('getMasterchainInfo') / 20).toBeLessThanOrEqual(6)
  const id = idOf(FIRST_HEAD + 10)
  const asked = pool.getBlock(id, { urgent: true, wait: { seqno: id.seqno, timeoutMs: 1_000 } })
  await clock.run(1_000)
  expect((await asked).equals(fileOf(id.seqno))).toBe(true)
})

test('a proxy that does not know how to wait lacks nothing else, however many waits it refuses', async () => {
  const { clock, servers, pool } = simulate([{ refusesWaits: true, latencyMs: 400 }])
  const waits = { urgent: true, wait: { seqno: FIRST_HEAD + 1, timeoutMs: 1_000 } }
  const asked = [0, 1, 2].map((n) => pool.getBlock(idOf(FIRST_HEAD - n), waits))
  await clock.run(5_000)
  expect((await Promise.all(asked)).map((bytes) => bytes.length > 0)).toEqual([true, true, true])
  expect(servers[0]!.countOf('getBlock')).toBeLessThanOrEqual(6)
})

test('a function that a server does not know is no reason to doubt that it knows how to wait', async () => {
  const { clock, servers, pool } = simulate([{}])
  const wait = { seqno: FIRST_HEAD, timeoutMs: 1_000 }
  const unknown = pool.query('liteServer.getState', { id: idOf(FIRST_HEAD) }, { wait, timeoutMs: 1_000 })
  const refused = expect(unknown).rejects.toThrow(/unknown query/)
  await clock.run(2_000)
  await refused
  const before = servers[0]!.countOf('getMasterchainInfo')
  await clock.run(20_000)
  expect(servers[0]!.countOf('getMasterchainInfo') - before).toBeLessThanOrEqual(20_000 / BLOCK_MS + 1)
})

test('the head of a server that fell far behind is the one that it has now', async () => {
  const { clock, servers, pool } = simulate([{}])
  const lag = () => {
    const newest = FIRST_HEAD + Math.floor(clock.now() / BLOCK_MS)
    return newest - pool.servers()[0]!.headSeqno!
  }
  await clock.run(20_000)
  expect(lag()).toBeLessThanOrEqual(5)
  // Behind the address there may be another server now.
  servers[0]!.behavior = { staleBy: 500 }
  await clock.run(20_000)
  expect(Math.abs(lag() - 500)).toBeLessThanOrEqual(5)
})

test('a new list of servers keeps what is known about those that remain', async () => {
  const { clock, servers, pool } = simulate([{ perSecond: 5 }, {}, {}])
  const [a, b, c] = servers.map(({ address }) => address)
  pool.replaceServers([a!, b!])
  const history = backfill(pool, 90_000, 40)
  await clock.run(10_000)
  const learned = pool.servers()[0]!.requestsPerSecond
  expect(learned).toBeDefined()
  pool.replaceServers([c!, a!])
  expect(pool.servers().map(({ name, state }) => [name, state])).toEqual([
    [a!.name, 'ready'],
    [c!.name, 'connecting'],
  ])
  expect(pool.servers()[0]!.requestsPerSecond).toBe(learned)
  const asked = servers[1]!.countOf('getBlock')
  const before = history.blocks
  await clock.run(3_000)
  history.isStopped = true
  expect(history.blocks).toBeGreaterThan(before + 100)
  expect(servers[1]!.countOf('getBlock')).toBe(asked)
})

test('a head is followed once, however often the connection was lost', async () => {
  let connection: AdnlConnection | undefined
  let now = () => 0
  // Its head stands still: pauses between two requests are longer than those before it is connected again.
  const standing = {
    ignoresWaits: true,
    get staleBy() {
      return now() / BLOCK_MS
    },
  }
  const connect = async () => {
    connection = servers[0]!.connect()
    return connection
  }
  const { clock, servers } = simulate([standing], { connect, random: () => 0 })
  now = () => clock.now()
  const asked = async () => {
    const before = servers[0]!.countOf('getMasterchainInfo')
    await clock.run(10_000)
    return servers[0]!.countOf('getMasterchainInfo') - before
  }
  await clock.run(5_000)
  const once = await asked()
  expect(once).toBeGreaterThan(5)
  for (let losses = 0; losses < 6; losses++) {
    connection!.close()
    await clock.run(2_200)
  }
  expect(await asked()).toBeLessThanOrEqual(once + 1)
})
