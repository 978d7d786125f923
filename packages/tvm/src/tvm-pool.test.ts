import { getPriority } from 'node:os'
import { Builder, buildDict, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { QueueFull } from '@shardwalk/concurrency'
import type { StackValue } from '@shardwalk/contracts'
import type { ExtraCurrencies } from '@shardwalk/model'
import { threadPriorities } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { loadExtraCurrenciesDict } from '@shardwalk/tlb'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { type GetMethodCall, type GetMethodResult, TvmPool } from './index.ts'

const pool = new TvmPool({ threads: 2, timeoutMs: 30_000 })
afterAll(() => pool.close())

/** Global version 12 and no prices: sufficient for code that does not read any. */
const CONFIG = buildDict(
  [
    [
      8n,
      new Builder().storeRef(new Builder().storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64).endCell()),
    ],
  ],
  32,
) as Cell
const environment = pool.environment({ config: CONFIG })
const ADDRESS = { workchain: 0, hash: Buffer.alloc(32, 0x11) }

/** Code is raw TVM instructions in hex; the method id is on top of the stack when they start. */
const call = (code: string | Cell, more: Partial<GetMethodCall> = {}): GetMethodCall => ({
  environment,
  code: serializeBoc(
    typeof code === 'string' ? new Builder().storeBytes(Buffer.from(code, 'hex')).endCell() : code,
  ),
  data: serializeBoc(EMPTY_CELL),
  address: ADDRESS,
  method: 'seqno',
  now: 1_700_000_000,
  ...more,
})
const succeed = (result: GetMethodResult): Extract<GetMethodResult, { ok: true }> => {
  if (!result.ok) throw new Error(`${result.reason}: ${result.message}`)
  return result
}

const DROP_AND_RETURN = '30'
/** More gas than a thread uses up before its deadline, however fast the machine is. */
const ENDLESS = 10 ** 15

const loop = (): Cell => {
  // DROP; PUSHCONT { INC }; AGAIN on an integer: counts until the gas is used up.
  return new Builder().storeBytes(Buffer.from(`3070${'91a4'}${'ea'}`, 'hex')).endCell()
}

test('threads without a call keep no process from ending', async () => {
  const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const before = listening()
  const own = new TvmPool({ threads: 1 })
  const environment = own.environment({ config: CONFIG })
  succeed(await own.run(call(DROP_AND_RETURN, { environment })))
  expect(listening()).toBe(before)
  await own.close()
})

describe('results', () => {
  test('arguments of every kind are returned unchanged', async () => {
    const cell = new Builder().storeUint(7, 9).storeRef(EMPTY_CELL).endCell()
    const args: StackValue[] = [
      { type: 'null' },
      { type: 'int', value: -(2n ** 63n) - 1n },
      { type: 'int', value: 2n ** 256n - 1n },
      { type: 'cell', cell },
      { type: 'slice', cell },
      { type: 'tuple', items: [{ type: 'tuple', items: [] }, { type: 'int', value: 1n }, { type: 'null' }] },
    ]
    const result = succeed(await pool.run(call(DROP_AND_RETURN, { args })))
    expect(result.exitCode).toBe(0)
    expect(
      result.stack.map((value) => ('cell' in value ? value.cell.hash().toString('hex') : value)),
    ).toEqual(args.map((value) => ('cell' in value ? value.cell.hash().toString('hex') : value)))
  })

  test('the contract sees the block time, its balance and its address', async () => {
    // DROP; NOW; GETPARAM 7 (balance); MYADDR
    const result = succeed(await pool.run(call('30f823f827f828', { balance: 123n })))
    expect(result.stack[0]).toEqual({ type: 'int', value: 1_700_000_000n })
    expect(result.stack[1]).toMatchObject({
      type: 'tuple',
      items: [{ type: 'int', value: 123n }, { type: 'null' }],
    })
    expect(result.stack[2]).toMatchObject({ type: 'slice' })
  })

  test('the contract sees all of its extra currencies', async () => {
    const seenOf = async (extraCurrencies: ExtraCurrencies) => {
      // DROP; GETPARAM 7 (balance)
      const { stack } = succeed(await pool.run(call('30f827', { balance: 1n, extraCurrencies })))
      const [balance] = stack
      if (balance?.type !== 'tuple' || balance.items[1]?.type !== 'cell') throw new Error('no currencies')
      return loadExtraCurrenciesDict(balance.items[1].cell.slice())
    }
    const one = new Map([[239, 5n]])
    expect(await seenOf(one)).toEqual(one)
    const several = new Map([...one, [240, 1n], [4_294_967_279, 2n ** 248n - 1n]])
    expect(await seenOf(several)).toEqual(several)
    expect(await seenOf(new Map([[1, 0n], ...several, [2, 0n]]))).toEqual(several)
  })

  test('a configuration that the executor cannot read is no fault of the code', async () => {
    const own = new TvmPool({ threads: 1, timeoutMs: 30_000 })
    const config = (version: Cell) => buildDict([[8, new Builder().storeRef(version)]], 32)!
    const newer = new Builder().storeUint(0xc5, 8).storeUint(99, 32).storeUint(494, 64).endCell()
    const environment = own.environment({ config: config(newer) })
    const contract = { ...call('3075'), codeHash: Buffer.alloc(32, 1) }
    for (let run = 0; run < 8; run++)
      expect(await own.run({ ...contract, environment })).toMatchObject({
        ...{ ok: false, reason: 'refused', mayPass: true },
        message: expect.stringContaining('configuration'),
      })
    expect(own.counters).toMatchObject({ crashes: 2 })
    succeed(await own.run({ ...contract, environment: own.environment({ config: CONFIG }) }))
    await own.close()
  })

  test('a contract of a workchain that the executor cannot read is refused and ends no thread', async () => {
    const own = new TvmPool({ threads: 1 })
    const of = (workchain: number) =>
      own.run({
        ...call('3075'),
        environment: own.environment({ config: CONFIG }),
        address: { workchain, hash: ADDRESS.hash },
      })
    for (const workchain of [-(10 ** 9) + 1, 2 ** 31 - 1]) succeed(await of(workchain))
    expect(await of(-(10 ** 9))).toMatchObject({ ok: false, reason: 'refused' })
    expect(own.counters).toMatchObject({ crashes: 0 })
    await own.close()
  })

  test('equal calls give equal answers, including random numbers', async () => {
    const random = call('30f810') // DROP; RANDU256
    const [first, second] = await Promise.all([pool.run(random), pool.run(random)])
    expect(succeed(first as GetMethodResult).stack).toEqual(succeed(second as GetMethodResult).stack)
  })

  test('a method that does not exist is an exit code, not a failure', async () => {
    const result = succeed(await pool.run(call('f20b'))) // THROW 11
    expect(result.exitCode).toBe(11)
  })

  test('a cached answer is not computed again unless the data hash differs', async () => {
    const own = new TvmPool({ threads: 1 })
    const cached = {
      ...call('3075'),
      environment: own.environment({ config: CONFIG }),
      codeHash: Buffer.alloc(32, 1),
    }
    const first = await own.runCached({ ...cached, dataHash: Buffer.alloc(32, 1) })
    expect(await own.runCached({ ...cached, dataHash: Buffer.alloc(32, 1) })).toBe(first)
    await own.runCached({ ...cached, dataHash: Buffer.alloc(32, 2) })
    expect(own.counters).toMatchObject({ calls: 2, cacheHits: 1 })
    await own.close()
  })

  test('libraries of one call are not visible to the next', async () => {
    const library = new Builder().storeBytes(Buffer.from('3075', 'hex')).endCell()
    const reference = new Builder().storeUint(2, 8).storeBytes(library.hash()).endCell({ exotic: true })
    const libraries = buildDict(
      [[BigInt(`0x${library.hash().toString('hex')}`), new Builder().storeRef(library)]],
      256,
    ) as Cell
    const own = new TvmPool({ threads: 1 })
    const without = own.environment({ config: CONFIG })
    const withLibrary = own.environment({ config: CONFIG, libraries })
    const found = succeed(await own.run(call(reference, { environment: withLibrary })))
    expect(found.stack).toEqual([{ type: 'int', value: 5n }])
    const missing = succeed(await own.run(call(reference, { environment: without })))
    expect(missing.exitCode).not.toBe(0)
    expect(missing.missingLibrary).toEqual(library.hash())
    await own.close()
  })
})

describe('hostile contracts', () => {
  test('an endless loop ends when out of gas', async () => {
    const result = succeed(await pool.run(call(loop())))
    expect(result.exitCode).toBe(-14)
    expect(result.gasUsed).toBeGreaterThanOrEqual(1_000_000)
  })

  test('a call beyond the time limit is killed and later calls are answered', async () => {
    const own = new TvmPool({ threads: 1, timeoutMs: 400 })
    const slow = own.environment({ config: CONFIG })
    await own.run(call('3075', { environment: slow }))
    const [killed, next] = await Promise.all([
      own.run(call(loop(), { environment: slow, gasLimit: ENDLESS })),
      own.run(call('3075', { environment: slow })),
    ])
    expect(killed).toMatchObject({ ok: false, reason: 'timeout' })
    expect(succeed(next as GetMethodResult).stack).toEqual([{ type: 'int', value: 5n }])
    expect(own.counters).toMatchObject({ timeouts: 1, threadsStarted: 2 })
    await own.close()
  })

  test('idle threads end, and start again for the next call', async () => {
    const own = new TvmPool({ threads: 2, idleMs: 50, cacheSize: 0 })
    const code = call(DROP_AND_RETURN)
    await Promise.all([own.run(code), own.run(code)])
    await vi.waitFor(() => expect(own.threads).toBe(0), 10_000)
    expect((await own.run(code)).ok).toBe(true)
    expect(own.counters).toMatchObject({ crashes: 0 })
    await own.close()
  })

  test('the executor is compiled once for all threads that start one after another', async () => {
    const code = call(DROP_AND_RETURN)
    expect((await pool.run(code)).ok).toBe(true)
    const other = new TvmPool({ threads: 1, idleMs: 50, cacheSize: 0 })
    expect((await other.run(code)).ok).toBe(true)
    await vi.waitFor(() => expect(other.threads).toBe(0), 10_000)
    expect((await other.run(code)).ok).toBe(true)
    expect(other.counters).toMatchObject({ threadsStarted: 2, compilations: 0 })
    await other.close()
  })

  test.runIf(process.platform === 'linux')(
    'background threads run behind all others of the process',
    async () => {
      const before = threadPriorities()
      const own = new TvmPool({ threads: 1, isBackground: true })
      expect((await own.run(call(DROP_AND_RETURN))).ok).toBe(true)
      const after = threadPriorities()
      const behind = Math.min(getPriority() + 5, 19)
      const added = [...after].filter(([thread]) => !before.has(thread)).map(([, nice]) => nice)
      expect(added).toContain(behind)
      expect(after.get(String(process.pid))).toBe(getPriority())
      for (const [thread, nice] of before) expect(after.get(thread) ?? nice, thread).toBe(nice)
      await own.close()
    },
  )

  test('deep results neither crash the thread nor change later answers', async () => {
    const own = new TvmPool({ threads: 1 })
    const here = own.environment({ config: CONFIG })
    const times = (count: number) => count.toString(16).padStart(4, '0')
    // DROP; start; PUSHINT count; PUSHCONT body; REPEAT
    const repeat = (start: string, body: string, count: number) =>
      call(`30${start}81${times(count)}9${body.length / 2}${body}e4`, { environment: here })
    // DROP; NOW; GETPARAM 7; MYADDR; c4 as slice
    const canary = call('30f823f827f828ed44d0', { environment: here })
    const expected = succeed(await own.run(canary)).stackBoc
    const shapes = [
      ['6d', '6f01'], // PUSHNULL; TUPLE 1: tuples inside each other
      ['6d', '6d'], // PUSHNULL: many values
      ['6d', '6d6f02'], // TUPLE 2
      ['c8c9', 'c8ccc9'], // NEWC ENDC; NEWC STREF ENDC: a chain of cells
    ] as const
    for (const [start, body] of shapes)
      for (const count of [60, 250, 320, 400, 1000, 1100, 2000]) {
        expect(await own.run(repeat(start, body, count))).toHaveProperty('ok')
        expect(succeed(await own.run(canary)).stackBoc).toEqual(expected)
      }
    await own.close()
  })

  test('code whose runs are killed repeatedly is refused, other code is not', async () => {
    // Enough for the first run of a new thread on a busy machine; each kill takes as long.
    const own = new TvmPool({ threads: 1, timeoutMs: isLong ? 1_000 : 300 })
    const here = own.environment({ config: CONFIG })
    await own.run(call('3075', { environment: here }))
    // DROP; PUSHNULL; 40 times DUP, PAIR: a tuple of 2^40 values that takes no memory until it is serialised.
    const bomb = call('306d81002893206f02e4', { environment: here, codeHash: Buffer.alloc(32, 0xb0) })
    const results = await Promise.all(Array.from({ length: 5 }, () => own.run(bomb)))
    expect(results.map((result) => !result.ok && result.reason)).toEqual([
      'timeout',
      'timeout',
      'timeout',
      'suspended',
      'suspended',
    ])
    const other = await own.run(call('3075', { environment: here, codeHash: Buffer.alloc(32, 1) }))
    expect(succeed(other).exitCode).toBe(0)
    expect(own.counters.timeouts).toBe(3)
    await own.close()
  })

  test('a result nested too deep to decode is too big', async () => {
    const nested = await pool.run(call(`306d81${(1_100).toString(16).padStart(4, '0')}926f01e4`))
    expect(nested).toMatchObject({ ok: false, reason: 'too_big' })
  })

  test('exotic cells as code, data or result do not crash the thread', async () => {
    const pruned = new Builder()
      .storeUint(1, 8)
      .storeUint(1, 8)
      .storeBytes(Buffer.alloc(34))
      .endCell({ exotic: true })
    const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
    const boc = (cell: Cell) => serializeBoc(new Builder().storeRef(cell).endCell())
    const results = await Promise.all([
      pool.run(call(library)),
      pool.run(call('30ed44d0', { data: boc(library) })), // PUSH c4; CTOS
      pool.run(call('3075', { code: Buffer.from('not a bag of cells') })),
      pool.run(call('3075', { data: boc(pruned) })),
    ])
    for (const result of results) expect(result).toHaveProperty('ok')
    expect(succeed(await pool.run(call('3075'))).exitCode).toBe(0)
  })

  test('input that the executor does not support is refused without running', async () => {
    expect(await pool.run(call('3075', { balance: 2n ** 64n }))).toMatchObject({
      ok: false,
      reason: 'refused',
    })
  })

  test('calls beyond the queue limit are refused at once', async () => {
    const own = new TvmPool({ threads: 1, maxWaiting: 1 })
    const calls = [1, 2, 3].map(() =>
      own.run(call('3075', { environment: own.environment({ config: CONFIG }) })),
    )
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    await expect(calls[2]).rejects.toThrow(QueueFull)
    await own.close()
  })
})

describe('callers', () => {
  const integers = (count: number): StackValue[] =>
    Array.from({ length: count }, (_, i) => ({ type: 'int', value: BigInt(i) }))
  // DROP; PUSHNULL; 40 times DUP, PAIR: see above.
  const BOMB = '306d81002893206f02e4'

  test('a stack that is too deep is refused without a strike for the code or a lost thread', async () => {
    const own = new TvmPool({ threads: 1 })
    const here = { environment: own.environment({ config: CONFIG }), codeHash: Buffer.alloc(32, 1) }
    const most = succeed(await own.run(call(DROP_AND_RETURN, { ...here, args: integers(1000) })))
    expect(most.stack).toHaveLength(1000)
    for (const count of [1001, 1022, 1023, 1024, 1025, 8000])
      expect(await own.run(call(DROP_AND_RETURN, { ...here, args: integers(count) }))).toEqual({
        ok: false,
        reason: 'bad_arguments',
        message: expect.stringContaining(`${count} entries, at most 1000`),
      })
    // DROP; 40 times PUSHNULL: arguments and results together are too deep.
    const pushing = call(`30${'6d'.repeat(40)}`, { ...here, args: integers(1000) })
    for (let time = 0; time < 4; time++)
      expect(await own.run(pushing)).toMatchObject({ ok: false, reason: 'too_big' })
    expect(succeed(await own.run(call(DROP_AND_RETURN, here))).exitCode).toBe(0)
    expect(own.counters).toMatchObject({ crashes: 0, timeouts: 0, threadsStarted: 1 })
    await own.close()
  })

  test('strikes of one class of callers do not suspend the code for others', async () => {
    let now = 0
    const own = new TvmPool({ threads: 1, timeoutMs: 200, now: () => now })
    const here = { environment: own.environment({ config: CONFIG }), codeHash: Buffer.alloc(32, 1) }
    await own.run(call('3075', here))
    const hostile = { ...here, callerClass: 'client a' }
    for (let time = 0; time < 3; time++) await own.run(call(BOMB, hostile))
    expect(await own.run(call('3075', hostile))).toMatchObject({ ok: false, reason: 'suspended' })
    expect(succeed(await own.run(call('3075', { ...here, callerClass: 'client b' }))).exitCode).toBe(0)
    now = 60_000
    expect(succeed(await own.run(call('3075', hostile))).exitCode).toBe(0)
    await own.close()
  })

  test('a call whose caller leaves frees its place at once', async () => {
    const own = new TvmPool({ threads: 1, maxWaiting: 1 })
    const environment = own.environment({ config: CONFIG })
    const leaving = new AbortController()
    const left = own.run(call(loop(), { environment, signal: leaving.signal }))
    await expect(own.run(call('3075', { environment }))).rejects.toThrow(QueueFull)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(own.waiting).toBe(0)
    expect(succeed(await own.run(call('3075', { environment }))).exitCode).toBe(0)
    await own.close()
  })

  test('a client with many endless calls occupies neither all threads nor the turn of others', async () => {
    const own = new TvmPool({ threads: 2, timeoutMs: 1_000, maxRunningPerClient: 1, maxWaitingPerClient: 8 })
    const environment = own.environment({ config: CONFIG })
    const leaving = new AbortController()
    const endless = { environment, client: 'a', signal: leaving.signal, gasLimit: ENDLESS }
    const calls = Array.from({ length: 20 }, () => own.run(call(loop(), endless)))
    const outcomes = Promise.allSettled(calls)
    await expect(calls[19]).rejects.toThrow(QueueFull)
    const others = Array.from({ length: 5 }, () => own.run(call('3075', { environment, client: 'b' })))
    for (const result of await Promise.all(others)) expect(succeed(result).exitCode).toBe(0)
    expect(own.waiting).toBeGreaterThan(0)
    leaving.abort(new Error('left'))
    expect(new Set((await outcomes).map(({ status }) => status))).toEqual(new Set(['rejected']))
    await own.close()
  })
})
