import { setMaxListeners } from 'node:events'
import { DecodeError, masterchainId } from '@shardwalk/model'
import { createMetrics } from '@shardwalk/observability'
import { encodeAnswer, encodeError } from '@shardwalk/tl'
import { afterEach, describe, expect, test } from 'vitest'
import { serverAddress } from '../src/config/server-address.ts'
import { PoolClosed } from '../src/errors.ts'
import {
  LiteServerError,
  LiteServerPool,
  NoServerAvailable,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from '../src/index.ts'
import type { PoolOptions } from '../src/pool/pool-core.ts'
import { FakeLiteServer, fileOf, idOf } from './fake-chain.ts'

/** Source: lite_api.tl, `liteServer.sendMessage#690ad482`. */
const SEND = Buffer.from('82d40a69', 'hex')

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

async function server(head = 100): Promise<FakeLiteServer> {
  const started = await new FakeLiteServer(head).start()
  cleanUp.push(() => started.stop())
  return started
}

function poolOf(servers: readonly FakeLiteServer[], options: Partial<PoolOptions> = {}): LiteServerPool {
  const pool = new LiteServerPool({ servers: servers.map((s) => s.address), ...options })
  cleanUp.push(() => pool.close())
  return pool
}

const ready = (pool: LiteServerPool, count: number) =>
  expect
    .poll(() => pool.servers().filter((s) => s.state === 'ready' && s.archive !== undefined).length)
    .toBe(count)

test('a query waits for the first connection and is answered', async () => {
  const pool = poolOf([await server()])
  expect(await pool.getBlock(idOf(7))).toEqual(fileOf(7))
  expect(await pool.lookupBlock(masterchainId(8))).toEqual(idOf(8))
  expect((await pool.getMasterchainInfo()).last).toEqual(idOf(100))
})

test('an unreachable network gives one error that lists every server', async () => {
  const gone = await new FakeLiteServer(1).start()
  await gone.stop()
  const pool = poolOf([gone])
  const error = await pool.getBlock(idOf(1), { timeoutMs: 80 }).catch((e: unknown) => e)
  expect(error).toBeInstanceOf(NoServerAvailable)
  expect((error as NoServerAvailable).message).toContain(
    `${gone.address.name} not connected: ${gone.address.name}: connect`,
  )
})

test('a pool without servers fails at once', async () => {
  await expect(poolOf([]).getBlock(idOf(1))).rejects.toThrow(/none configured/)
})

test('wrong bytes are never returned: the server is reported and the block fetched elsewhere', async () => {
  const [dishonest, honest] = [await server(), await server()]
  dishonest.override = (call) =>
    call.name === 'liteServer.getBlock'
      ? encodeAnswer(call.name, { id: call.args.id, data: fileOf(666) })
      : undefined
  const pool = poolOf([dishonest, honest])
  await ready(pool, 2)
  for (let seqno = 1; seqno <= 20; seqno++) expect(await pool.getBlock(idOf(seqno))).toEqual(fileOf(seqno))
  const status = pool.servers().find((s) => s.name === dishonest.address.name)!
  if (dishonest.asked.includes('liteServer.getBlock')) expect(status).toMatchObject({ state: 'banned' })
  expect(dishonest.asked.filter((name) => name === 'liteServer.getBlock').length).toBeLessThanOrEqual(1)
})

test('a valid block other than the requested one is a wrong answer, in blocks and lookups', async () => {
  const [dishonest, honest] = [await server(), await server()]
  dishonest.override = (call) => {
    if (call.name === 'liteServer.getBlock')
      return encodeAnswer(call.name, { id: idOf(50), data: fileOf(50) })
    if (call.name === 'liteServer.lookupBlock' && call.args.id.seqno !== 2)
      return encodeAnswer(call.name, { id: idOf(51), mode: 0, headerProof: Buffer.alloc(0) })
    return undefined
  }
  const only = poolOf([dishonest])
  await expect(only.getBlock(idOf(7), { timeoutMs: 1_000 })).rejects.toBeInstanceOf(WrongAnswer)
  const alone = poolOf([dishonest])
  await expect(alone.lookupBlock(masterchainId(7), { timeoutMs: 1_000 })).rejects.toBeInstanceOf(WrongAnswer)
  const both = poolOf([dishonest, honest])
  expect(await both.getBlock(idOf(7))).toEqual(fileOf(7))
  expect(await both.lookupBlock(masterchainId(7))).toEqual(idOf(7))
})

test('the only server is asked again after a wrong answer', async () => {
  const flaky = await server()
  let wrongAnswers = 1
  flaky.override = (call) =>
    call.name === 'liteServer.getBlock' && wrongAnswers-- > 0
      ? encodeAnswer(call.name, { id: call.args.id, data: fileOf(0) })
      : undefined
  const pool = poolOf([flaky])
  expect(await pool.getBlock(idOf(9))).toEqual(fileOf(9))
  expect(pool.servers()[0]!.state).toBe('banned')
})

test('a caller may reject an answer: the server is reported and another one asked', async () => {
  const servers = [await server(), await server()]
  const pool = poolOf(servers)
  await ready(pool, 2)
  let rejections = 0
  const value = await pool.query(
    'liteServer.getTime',
    {},
    { check: () => (rejections++ === 0 ? 'too good' : undefined) },
  )
  expect(value.now).toBe(1_700_000_000)
  const banned = pool.servers().filter((s) => s.state === 'banned')
  expect(banned.map(({ faults }) => faults.wrong_answers)).toEqual([1])
})

test.each([
  ['silence', { kind: 'drop' }],
  ['a close in the middle of a frame', { kind: 'close' }],
  ['a wrong checksum', { kind: 'bad-checksum' }],
  ['-503', { kind: 'error', code: -503, message: 'timeout' }],
  ['a rate limit', { kind: 'error', code: 228, message: 'ratelimit' }],
  ['inconsistent storage', { kind: 'error', code: -668, message: 'root hash mismatch' }],
  ['an answer that is not TL', { kind: 'answer', bytes: Buffer.from('garbage!') }],
] as const)('%s from one of two servers delays the answer but does not lose it', async (_, fault) => {
  const [bad, good] = [await server(), await server()]
  const pool = poolOf([bad, good], { connection: { pingAfterMs: 50, deadAfterMs: 150 } })
  await ready(pool, 2)
  bad.adnl.faults = { onQuery: () => fault, noPong: true }
  const blocks = await Promise.all(Array.from({ length: 12 }, (_, i) => pool.getBlock(idOf(i + 1))))
  expect(blocks).toEqual(Array.from({ length: 12 }, (_, i) => fileOf(i + 1)))
})

test.each([
  ['another type', encodeAnswer('liteServer.getTime', { now: 1 })],
  ['nothing', Buffer.alloc(0)],
  ['bytes', Buffer.alloc(100_000, 7)],
])('a server that answers with %s is avoided while there is another one', async (_, answer) => {
  const [bad, good] = [await server(), await server()]
  let asked = 0
  bad.override = ({ name }) => {
    if (name !== 'liteServer.getBlock') return undefined
    asked++
    return answer
  }
  const pool = poolOf([bad, good])
  await ready(pool, 2)
  const once = { server: bad.address.name, once: true }
  await expect(pool.getBlock(idOf(1), once)).rejects.toThrow(DecodeError)
  for (let seqno = 1; seqno <= 20; seqno++) expect(await pool.getBlock(idOf(seqno))).toEqual(fileOf(seqno))
  expect(asked).toBe(1)
  const { state, faults } = pool.servers()[0]!
  expect([state, faults.wrong_answers]).toEqual(['ready', 1])
})

test('a dropped connection is reopened and outstanding queries succeed', async () => {
  const one = await server()
  const pool = poolOf([one])
  await ready(pool, 1)
  const asked = Promise.all([1, 2, 3].map((seqno) => pool.getBlock(idOf(seqno))))
  one.adnl.dropConnections()
  expect(await asked).toEqual([1, 2, 3].map(fileOf))
  expect(pool.servers()[0]!.faults).toMatchObject({ disconnects: 1, wrong_answers: 0, timeouts: 0 })
})

test('refusals are final if retrying cannot help', async () => {
  const [a, b] = [await server(), await server()]
  for (const s of [a, b])
    s.override = (call) =>
      call.name === 'liteServer.getBlockHeader' ? encodeError(-400, 'invalid BlockIdExt') : undefined
  const pool = poolOf([a, b])
  const error = await pool.getBlockHeader(idOf(1)).catch((e: unknown) => e)
  expect(error).toMatchObject({ serverCode: -400, serverMessage: 'invalid BlockIdExt', retry: 'never' })
  expect([...a.asked, ...b.asked].filter((name) => name === 'liteServer.getBlockHeader')).toHaveLength(1)
  await expect(pool.query('liteServer.getVersion', {})).rejects.toMatchObject({ serverCode: 621 })
  expect(a.asked.filter((name) => name === 'liteServer.getVersion')).toHaveLength(1)
  await expect(pool.query('liteServer.getVersion', {}, { timeoutMs: 1000 })).rejects.toThrow()
  expect(a.asked.filter((name) => name === 'liteServer.getVersion')).toHaveLength(1)
})

test('old blocks come from the server that has them', async () => {
  const [young, archive] = [await server(), await server()]
  young.oldest = 90
  const pool = poolOf([young, archive])
  await ready(pool, 2)
  expect(pool.servers().map((s) => s.archive)).toEqual([false, true])
  for (const seqno of [1, 50, 89]) expect(await pool.getBlock(idOf(seqno))).toEqual(fileOf(seqno))
  young.asked.length = 0
  for (const seqno of [1, 50, 89])
    expect(await pool.getBlock(idOf(seqno), { archive: true })).toEqual(fileOf(seqno))
  expect(young.asked).not.toContain('liteServer.getBlock')
})

test('a block that no server has is refused with 651, not retried forever', async () => {
  const young = await server()
  young.oldest = 90
  const pool = poolOf([young])
  await expect(pool.lookupBlock(masterchainId(5))).rejects.toMatchObject({ serverCode: 651, retry: 'later' })
})

test('two archive servers suffice to decide that an old block does not exist', async () => {
  const servers = [await server(), await server(), await server()]
  const pool = poolOf(servers)
  await ready(pool, 3)
  for (const one of servers)
    one.override = (call) =>
      call.name === 'liteServer.lookupBlock' && call.args.id.seqno > 40
        ? encodeError(651, 'not found')
        : undefined
  const lookups = () =>
    servers.flatMap((one) => one.asked).filter((name) => name === 'liteServer.lookupBlock').length
  const before = lookups()
  await expect(pool.lookupBlock(masterchainId(50))).rejects.toMatchObject({ serverCode: 651 })
  expect(lookups() - before).toBe(2)
  // Blocks near the head may not have reached them yet.
  await expect(pool.lookupBlock(masterchainId(99))).rejects.toMatchObject({ serverCode: 651 })
  expect(lookups() - before).toBe(2 + 9)
})

test('a block ahead of the head is returned as soon as it exists', async () => {
  const one = await server(100)
  const pool = poolOf([one])
  await ready(pool, 1)
  const asked = pool.getBlock(idOf(101))
  const waited = pool.waitMasterchainSeqno(101, { timeoutMs: 5000 })
  await expect
    .poll(() => one.asked.filter((name) => name === 'liteServer.getBlock').length)
    .toBeGreaterThan(0)
  one.advance(101)
  expect(await waited).toEqual(idOf(101))
  expect(await asked).toEqual(fileOf(101))
  expect(pool.head()).toEqual(idOf(101))
})

test('heads are those of all servers, newest first, with the servers that report them', async () => {
  const [old, first, second] = [await server(99), await server(100), await server(100)]
  const pool = poolOf([old, first, second])
  await ready(pool, 3)
  expect(pool.heads()).toEqual([
    { id: idOf(100), servers: [first.address.name, second.address.name] },
    { id: idOf(99), servers: [old.address.name] },
  ])
  pool.report(old.address.name, 'false answers')
  expect(pool.heads().map(({ id }) => id.seqno)).toEqual([100])
})

test('waiting returns the block itself if the head is past it, undefined on timeout', async () => {
  const pool = poolOf([await server(100)])
  expect(await pool.waitMasterchainSeqno(42, { timeoutMs: 5000 })).toEqual(idOf(42))
  expect(await pool.waitMasterchainSeqno(101, { timeoutMs: 30 })).toBeUndefined()
})

test('a server that does not wait is asked at a bearable rate, and its new head is noticed', async () => {
  const proxy = await server(100)
  proxy.ignoresWaits = true
  const pool = poolOf([proxy])
  await ready(pool, 1)
  const before = proxy.asked.length
  expect(await pool.waitHead(101, { timeoutMs: 900 })).toBeUndefined()
  expect(proxy.asked.length - before).toBeLessThanOrEqual(5)
  proxy.advance(101)
  expect(await pool.waitHead(101, { timeoutMs: 5000 })).toEqual(idOf(101))
})

test('a query that may be sent once is not repeated, even to another server', async () => {
  const servers = [await server(100), await server(100)]
  const pool = poolOf(servers)
  await ready(pool, 2)
  const lookups = () =>
    servers.flatMap(({ asked }) => asked).filter((name) => name.endsWith('lookupBlock')).length
  const before = lookups()
  const options = { once: true, urgent: true, wait: { seqno: 101, timeoutMs: 50 } }
  await expect(pool.lookupBlock(masterchainId(101), options)).rejects.toMatchObject({ serverCode: 652 })
  await expect(pool.lookupBlock(masterchainId(99_999), { once: true })).rejects.toMatchObject({
    serverCode: 651,
  })
  expect(lookups() - before).toBeLessThanOrEqual(1)
})

test('tip queries go to servers that are at the tip', async () => {
  const [behind, ahead] = [await server(80), await server(100)]
  const pool = poolOf([behind, ahead])
  await ready(pool, 2)
  for (let i = 0; i < 10; i++) await pool.getBlock(idOf(100))
  expect(behind.asked).not.toContain('liteServer.getBlock')
})

test('a server that claims a head far ahead and then stalls does not hold up queries', async () => {
  const [boaster, honest] = [await server(1_000_000), await server(100)]
  const pool = poolOf([boaster, honest])
  await ready(pool, 2)
  await Promise.all(Array.from({ length: 8 }, () => pool.query('liteServer.getTime', {})))
  boaster.adnl.faults = { onQuery: () => ({ kind: 'drop' }) }
  await expect(
    pool.query('liteServer.getTime', {}, { server: boaster.address.name, timeoutMs: 20 }),
  ).rejects.toBeInstanceOf(QueryTimeout)
  honest.asked.length = 0
  await Promise.all(
    Array.from({ length: 5 }, () => pool.query('liteServer.getTime', {}, { timeoutMs: 1000 })),
  )
  expect(honest.asked).toHaveLength(5)
})

test('an urgent query to a slow server is sent to a second server', async () => {
  const [slow, fast] = [await server(), await server()]
  const pool = poolOf([slow, fast])
  await ready(pool, 2)
  // Make the later slow server fast at first so that it is chosen; a single attempt would time out after 5 s.
  fast.adnl.faults = { onQuery: () => ({ kind: 'delay', ms: 100 }) }
  await Promise.all(Array.from({ length: 16 }, () => pool.query('liteServer.getTime', {})))
  slow.adnl.faults = { onQuery: () => ({ kind: 'drop' }) }
  expect(await pool.getBlock(idOf(1), { urgent: true, timeoutMs: 3000 })).toEqual(fileOf(1))
  expect(slow.asked).toContain('liteServer.getBlock')
})

test.each([
  ['another file hash', { fileHash: idOf(1).fileHash }],
  ['another root hash', { rootHash: idOf(1).rootHash }],
])('servers of another network are refused: the zerostate has %s', async (_, other) => {
  const pool = poolOf([await server()], { zeroState: { ...idOf(0), ...other } })
  await expect(pool.getBlock(idOf(3), { timeoutMs: 1_000 })).rejects.toThrow(/zerostate of another network/)
})

test('queries beyond the windows wait and urgent ones overtake', async () => {
  const one = await server()
  let inside = 0
  let most = 0
  const pool = poolOf([one])
  await ready(pool, 1)
  one.adnl.faults = { onQuery: () => ({ kind: 'delay', ms: 5 }) }
  const order: string[] = []
  const count = async (name: string, urgent: boolean) => {
    await pool.query('liteServer.getTime', {}, { urgent })
    order.push(name)
  }
  const all = Array.from({ length: 60 }, (_, i) => count(`${i}`, false))
  const sampler = pool.onHead(() => {
    inside = pool.servers()[0]!.inFlight
    most = Math.max(most, inside)
  })
  const urgent = count('urgent', true)
  await Promise.all([...all, urgent])
  sampler()
  expect(most).toBeLessThanOrEqual(32)
  expect(order.indexOf('urgent')).toBeLessThan(40)
})

describe('a message that is sent', () => {
  const refusing = (text: string) => (call: { readonly name: string }) =>
    call.name === 'liteServer.sendMessage' ? encodeError(0, text) : undefined
  const duplicate = refusing('cannot send external message : duplicate message')
  const silent = {
    onQuery: (query: Buffer) => (query.includes(SEND) ? ({ kind: 'drop' } as const) : undefined),
  }
  const message = Buffer.from('message')

  test('goes to several servers, and the first that accepts it decides', async () => {
    const servers = [await server(), await server(), await server(), await server()]
    const [first, second, third] = servers
    first!.override = duplicate
    second!.override = refusing('not accepted')
    const pool = poolOf(servers)
    await ready(pool, 4)
    third!.adnl.faults = silent
    await pool.sendMessage(message, { copies: 4, patienceMs: 60_000, timeoutMs: 60_000 })
    await expect.poll(() => servers.filter((s) => s.asked.includes('liteServer.sendMessage')).length).toBe(4)
  })

  test('and is a duplicate to one server counts as accepted when no other answers', async () => {
    const servers = [await server(), await server()]
    const pool = poolOf(servers)
    await ready(pool, 2)
    servers[0]!.override = duplicate
    servers[1]!.adnl.faults = silent
    await pool.sendMessage(message, { patienceMs: 10, timeoutMs: 60_000 })
  })

  test('and refused by those that answer in time is refused with the reason of the contract', async () => {
    const servers = [await server(), await server(), await server()]
    const pool = poolOf(servers)
    await ready(pool, 3)
    servers[0]!.override = (call) =>
      call.name === 'liteServer.sendMessage' ? encodeError(228, 'too many requests') : undefined
    servers[1]!.override = refusing('not accepted')
    servers[2]!.adnl.faults = silent
    await expect(pool.sendMessage(message, { patienceMs: 500, timeoutMs: 60_000 })).rejects.toMatchObject({
      serverCode: 0,
      serverMessage: 'not accepted',
    })
  })
})

test('aborting rejects at once with the reason, whatever state the query is in', async () => {
  const one = await server()
  const pool = poolOf([one])
  await ready(pool, 1)
  one.adnl.faults = { onQuery: () => ({ kind: 'drop' }) }
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  const out = Array.from({ length: 12 }, (_, i) => pool.getBlock(idOf(i + 1), { signal: abort.signal }))
  const ahead = pool.getBlock(idOf(500), { signal: abort.signal })
  const waiting = pool.waitMasterchainSeqno(500, { timeoutMs: 60_000, signal: abort.signal })
  abort.abort(new Error('changed my mind'))
  for (const query of [...out, ahead, waiting]) await expect(query).rejects.toThrow('changed my mind')
  expect(pool.servers()[0]!.inFlight).toBe(0)
})

test('closing ends everything at once and leaves no timers', async () => {
  const timers = new Set<unknown>()
  const clock: PoolOptions['clock'] = {
    now: () => performance.now(),
    setTimeout(callback, ms) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        callback()
      }, ms)
      timers.add(timer)
      return timer
    },
    clearTimeout(timer) {
      timers.delete(timer)
      clearTimeout(timer as NodeJS.Timeout)
    },
  }
  const one = await server()
  const unreachable = serverAddress('127.0.0.1', one.address.port, Buffer.alloc(32, 3))
  const pool = new LiteServerPool({ servers: [one.address, unreachable], clock })
  await expect.poll(() => pool.readyServers().length).toBe(1)
  one.adnl.faults = { onQuery: () => ({ kind: 'drop' }) }
  const out = Array.from({ length: 20 }, (_, i) => pool.getBlock(idOf(i)))
  const waiting = pool.waitMasterchainSeqno(500, { timeoutMs: 60_000 })
  const results = Promise.allSettled([...out, waiting])
  const start = performance.now()
  await pool.close()
  expect(performance.now() - start).toBeLessThan(2_000)
  for (const result of await results) {
    const { reason } = result as PromiseRejectedResult
    expect(reason instanceof PoolClosed || reason instanceof TransportError, String(reason)).toBe(true)
  }
  expect(timers.size).toBe(0)
  await expect(pool.getBlock(idOf(1))).rejects.toBeInstanceOf(PoolClosed)
})

test('requests are counted by method and outcome', async () => {
  const metrics = createMetrics()
  const one = await server()
  const pool = poolOf([one], { metrics })
  await pool.getBlock(idOf(1))
  await pool.getBlockHeader(idOf(1)).catch(() => {})
  const text = await metrics.text()
  expect(text).toContain('shardwalk_liteserver_requests_total{method="getBlock",outcome="ok"} 1')
  expect(text).toContain('shardwalk_liteserver_requests_total{method="getBlockHeader",outcome="error_621"} 1')
  expect(text).toContain(`shardwalk_liteserver_up{server="${one.address.name}"} 1`)
})

test('no answer before the deadline is QueryTimeout', async () => {
  const one = await server()
  const pool = poolOf([one])
  await ready(pool, 1)
  one.adnl.faults = { onQuery: () => ({ kind: 'drop' }) }
  await expect(pool.query('liteServer.getTime', {}, { timeoutMs: 50 })).rejects.toBeInstanceOf(QueryTimeout)
  expect(new LiteServerError('s', 'm', 602, "state already gc'd").retry).toBe('later')
})

test('a refusal is what the caller learns, not that the deadline cut the next attempt short', async () => {
  const one = await server()
  const pool = poolOf([one])
  await ready(pool, 1)
  let asked = 0
  const refused = { kind: 'error', code: 0, message: 'block is being written' } as const
  one.adnl.faults = { onQuery: () => (asked++ === 0 ? refused : { kind: 'drop' }) }
  const error = await pool.query('liteServer.getTime', {}, { timeoutMs: 600 }).catch((e: unknown) => e)
  expect(error).toMatchObject({ serverMessage: 'block is being written' })
  expect(asked).toBeGreaterThan(1)
})

test('of what a server says of an error no more than a thousand characters are kept', () => {
  const { message, serverMessage } = new LiteServerError('s', 'm', 651, 'x'.repeat(100_000))
  expect(serverMessage).toBe('x'.repeat(1_000))
  expect(message).toBe(`s refused m: 651 ${serverMessage}`)
})
