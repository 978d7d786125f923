import { InvalidQuery, V2Refusal } from '@shardwalk/api-schema'
import { Builder, type Cell, EMPTY_CELL, parseBoc, serializeBoc } from '@shardwalk/cells'
import { storeStack } from '@shardwalk/contracts'
import { afterAll, expect, test } from 'vitest'
import { NodeAccessError } from '../errors.ts'
import { RequestThreads, ThreadsBusy } from './request-threads.ts'
import { readBody, renderRun, TASKS } from './tasks.ts'

const threads = new RequestThreads({ threads: 1, maxWaiting: 8 })
afterAll(() => threads.close())
const owner = (client = 'a', signal = new AbortController().signal) => ({ client, signal: () => signal })
const json = (body: unknown) => Buffer.from(JSON.stringify(body))

/** A tree of distinct cells. */
function tree(leaves: number): Cell {
  let cells = Array.from({ length: leaves }, (_, i) => new Builder().storeUint(i, 32).endCell())
  while (cells.length > 1)
    cells = Array.from({ length: Math.ceil(cells.length / 4) }, (_, i) => {
      const parent = new Builder()
      for (const cell of cells.slice(4 * i, 4 * i + 4)) parent.storeRef(cell)
      return parent.endCell()
    })
  return cells[0]!
}
const LARGE = tree(4000)
const largeText = serializeBoc(LARGE).toString('base64')
const largeBodies = { bytes: json({ bodies: [largeText] }), type: 'json' } as const

/** Whether the work is done before the event loop goes on, as nothing that another thread does can be. */
async function isDoneAtOnce(work: Promise<unknown>): Promise<boolean> {
  let isDone = false
  const done = work.then(() => {
    isDone = true
  })
  for (let step = 0; step < 100; step++) await undefined
  const wasDone = isDone
  await done
  return wasDone
}

test('large requests leave the event loop free; small ones are processed at once', async () => {
  const stack = [['tvm.Cell', largeText]]
  const run = { exitCode: 0, gasUsed: 1, stackBoc: serializeBoc(storeStack([{ type: 'cell', cell: LARGE }])) }
  expect(await isDoneAtOnce(threads.run('decode', largeBodies, owner()))).toBe(false)
  const read = threads.run('readBody', { bytes: json({ stack }), form: 'legacy' }, owner())
  expect(await isDoneAtOnce(read)).toBe(false)
  const reply = { form: 'legacy', run, hasArguments: true } as const
  expect(await isDoneAtOnce(threads.run('renderRun', reply, owner()))).toBe(false)
  const small = threads.run('readBody', { bytes: json({ stack: [['num', 1]] }), form: 'legacy' }, owner())
  expect(await isDoneAtOnce(small)).toBe(true)
})

test('threads end when there is nothing to do, and start again', async () => {
  const idle = new RequestThreads({ threads: 1, maxWaiting: 8, idleMs: 1 })
  expect(idle.isStarted).toBe(false)
  for (let round = 0; round < 2; round++) {
    expect(await idle.run('decode', largeBodies, owner())).toContain('{')
    await expect.poll(() => idle.isStarted).toBe(false)
  }
  await idle.close()
})

test('a small result that shared cells make large leaves the event loop free', async () => {
  let shared = EMPTY_CELL
  for (let depth = 0; depth < 12; depth++) shared = new Builder().storeRef(shared).storeRef(shared).endCell()
  const stackBoc = serializeBoc(storeStack([{ type: 'cell', cell: shared }]))
  expect(stackBoc.length).toBeLessThan(200)
  const reply = { form: 'legacy', run: { exitCode: 0, gasUsed: 1, stackBoc }, hasArguments: false } as const
  expect(await isDoneAtOnce(threads.run('renderRun', reply, owner()))).toBe(false)
})

/** An external message without a state; its body in a cell of its own. */
const externalMessage = (body: Cell): Buffer =>
  serializeBoc(
    new Builder()
      .storeUint(0b10, 2)
      .storeUint(0, 2)
      .storeAddress({ workchain: 0, hash: Buffer.alloc(32, 7) })
      .storeCoins(0n)
      .storeBit(false)
      .storeBit(true)
      .storeRef(body)
      .endCell(),
  )

test('messages of thousands of cells leave the event loop free, larger ones are refused', async () => {
  const boc = externalMessage(LARGE)
  const reading = threads.run('readMessage', { boc }, owner())
  expect(await isDoneAtOnce(reading)).toBe(false)
  const bag = parseBoc(boc)
  expect(await reading).toMatchObject({ hash: bag.hash(bag.root).toString('base64') })
  const tooMany = threads.run('readMessage', { boc: externalMessage(tree(7000)) }, owner())
  await expect(tooMany).rejects.toThrow(/INVALID_BAG_OF_CELLS: body.*9\d\d\d cells, at most 8192/)
  const noMessage = threads.run('readMessage', { boc: serializeBoc(LARGE) }, owner())
  await expect(noMessage).rejects.toThrow(NodeAccessError)
})

test('a thread gives the same results and errors as the main thread', async () => {
  const stack = [
    ['tvm.Cell', largeText],
    ['num', '0x10'],
  ]
  const input = { bytes: json({ address: 'a', stack }), form: 'legacy' } as const
  const there = await threads.run('readBody', input, owner())
  const here = readBody(input)
  expect(there.body).toEqual(here.body)
  expect(Buffer.from(there.stack!.boc!)).toEqual(here.stack!.boc)
  const run = { exitCode: 0, gasUsed: 1, stackBoc: here.stack!.boc! }
  for (const form of ['legacy', 'typed', 'v3'] as const) {
    const reply = { form, run, hasArguments: true }
    expect(await threads.run('renderRun', reply, owner())).toBe(renderRun(reply))
  }
  const wrong = { bytes: json({ stack: [...stack, ['nothing', 1]] }), form: 'legacy' } as const
  const { refusal } = (await threads.run('readBody', wrong, owner())).stack!
  expect(refusal).toBeInstanceOf(V2Refusal)
  expect(refusal).toMatchObject({ inner: 'Unsupported stack entry type: nothing', status: 542 })
  const noObject = { bytes: json(Array(5000).fill(1)) }
  await expect(threads.run('readBody', noObject, owner())).rejects.toThrow(V2Refusal)
  const noTexts = { bytes: json({ bodies: Array(5000).fill(1) }), type: 'json' } as const
  await expect(threads.run('decode', noTexts, owner())).rejects.toThrow(InvalidQuery)
})

test('members of JSON match in any case, exact names before others; others are left out', () => {
  const names = ['boc', 'init_code']
  const read = (body: object) => readBody({ bytes: json(body), names }).body
  expect(read({ Boc: 'a', INIT_CODE: 'b', InitCode: 'c', more: 1 })).toEqual({ boc: 'a', init_code: 'b' })
  expect(read({ boc: 'a', BOC: 'b' })).toEqual({ boc: 'a' })
  const stacks = [{ stack: [{ type: 'num', value: 7 }] }, { Stack: [{ Type: 'num', VALUE: 7 }] }]
  const [exact, other] = stacks.map((body) =>
    readBody({ bytes: json(body), form: 'v3', names: ['address', 'stack'] }),
  )
  expect(exact).toMatchObject({ body: {}, stack: { boc: expect.anything() } })
  expect(other).toEqual(exact)
  const decoded = (body: object) => TASKS.decode({ bytes: json(body), type: 'json' })
  expect(decoded({ Opcodes: ['0x0f8a7ea5'], BODIES: ['te6'] })).toBe(
    decoded({ opcodes: ['0x0f8a7ea5'], bodies: ['te6'] }),
  )
  expect(decoded({ Opcodes: [], opcodes: ['0x0f8a7ea5'] })).toBe(decoded({ opcodes: ['0x0f8a7ea5'] }))
  expect(decoded({ opcodes: ['0x0f8a7ea5'] })).toContain('jetton_transfer')
})

test('a client has its share of the queue and frees it when it disconnects', async () => {
  const leaving = new AbortController()
  const first = threads.run('decode', largeBodies, owner('b'))
  const waiting = [1, 2].map(() => threads.run('decode', largeBodies, owner('a', leaving.signal)))
  const outcomes = Promise.allSettled(waiting)
  const tooMany = threads.run('decode', largeBodies, owner('a'))
  await expect(tooMany).rejects.toBeInstanceOf(ThreadsBusy)
  const other = threads.run('decode', largeBodies, owner('b'))
  expect(threads.waiting).toBe(3)
  leaving.abort()
  expect(threads.waiting).toBe(1)
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await other).toBe(await first)
})

test('numbers with a million digits are refused with a short message', () => {
  const digits = '7'.repeat(1_000_000)
  const bodies = [`{"stack":[["num",${digits}]]}`, `{"seqno":${digits}}`, `{"stack":[["num","${digits}"]]}`]
  const texts = bodies.map((body) => {
    try {
      return readBody({ bytes: Buffer.from(body), form: 'legacy' }).stack!.refusal!.message
    } catch (error) {
      return (error as Error).message
    }
  })
  expect(texts).toEqual([
    'body is not JSON: a number of 1000000 characters, at most 512',
    'body is not JSON: a number of 1000000 characters, at most 512',
    expect.stringMatching(/^Invalid number: 7{128}…$/),
  ])
})
