import type { BlockId } from '@shardwalk/model'
import { generatedChain, generatedSource } from '@shardwalk/testkit'
import { expect, test, vi } from 'vitest'
import { EarlyShardBlocks } from './early-shard-blocks.ts'
import { BatchFetcher, BlockNotAvailable, type BlockSource } from './index.ts'

const top = (index: number): BlockId => ({
  workchain: 0,
  shard: BigInt(2 * index + 1) << 51n,
  seqno: 7,
  rootHash: Buffer.alloc(32, `root ${index} `),
  fileHash: Buffer.alloc(32, `file ${index} `),
})
const tops = (count: number) => Array.from({ length: count }, (_, index) => top(index))
const FILE = Buffer.alloc(1_000)
const ASKING = { urgent: true }

/** Answers as many requests as `answers` says, and the others when it is given more. */
function slowSource(size = FILE.length) {
  const waiting: (() => void)[] = []
  let requests = 0
  const getBlock: BlockSource['getBlock'] = (_, { signal } = {}) =>
    new Promise((resolve, reject) => {
      requests++
      waiting.push(() => resolve(Buffer.alloc(size)))
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
    })
  const answer = (count: number) => {
    for (const one of waiting.splice(0, count)) one()
    waiting.length = 0
    return new Promise((done) => setImmediate(done))
  }
  return { source: { getBlock }, answer, requests: () => requests }
}

test('a batch of 300 shard blocks is complete however often it is interrupted', async () => {
  const { source, answer, requests } = slowSource()
  const early = new EarlyShardBlocks(source)
  for (let attempt = 1; ; attempt++) {
    const interrupted = new AbortController()
    const asking = { ...ASKING, signal: interrupted.signal }
    const whole = Promise.all(tops(300).map((id) => early.get(id, asking))).then(() => true)
    await answer(40)
    interrupted.abort(new Error('not indexed in time'))
    if (await whole.catch(() => false)) break
    expect(attempt).toBeLessThan(8)
  }
  expect(requests()).toBe(300 + 260 + 220 + 180 + 140 + 100 + 60 + 20)
})

test('a block that could not be fetched is asked for again, and its bytes are then shared', async () => {
  let refusals = 1
  let requests = 0
  const getBlock: BlockSource['getBlock'] = async () => {
    requests++
    if (refusals-- > 0) throw new BlockNotAvailable('block', 'test')
    return FILE
  }
  const early = new EarlyShardBlocks({ getBlock })
  await expect(early.get(top(1), ASKING)).rejects.toThrow(BlockNotAvailable)
  for (let time = 0; time < 3; time++) expect(await early.get(top(1), ASKING)).toBe(FILE)
  expect(requests).toBe(2)
})

test('of incomplete batches 64 MiB are kept, of complete ones the last few blocks', async () => {
  const { source, answer, requests } = slowSource(1024 * 1024)
  const early = new EarlyShardBlocks(source)
  const read = async (ids: readonly BlockId[]) => {
    const before = requests()
    const all = Promise.all(ids.map((id) => early.get(id, ASKING)))
    await answer(100)
    await all
    return requests() - before
  }
  expect(await read(tops(80))).toBe(80)
  expect(await read(tops(80).slice(16))).toBe(0)
  expect(await read(tops(16))).toBe(16)
  early.complete(tops(80))
  expect(await read(tops(80))).toBe(16)
  early.complete(tops(80))
  expect(await read(tops(80))).toBe(16)
})

test('a block whose request fails after its batch is complete is asked for anew', async () => {
  const answers: ((bytes: Buffer | Error) => void)[] = []
  const getBlock: BlockSource['getBlock'] = () =>
    new Promise((resolve, reject) => {
      answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)))
    })
  const early = new EarlyShardBlocks({ getBlock })
  const get = vi.spyOn(early, 'get')
  const interrupted = early.get(top(1), ASKING)
  early.complete([top(1)])
  answers[0]!(new Error('interrupted'))
  await expect(interrupted).rejects.toThrow('interrupted')
  // Otherwise a failure of this test would be a loop without end.
  get.mockImplementation((...asked) => {
    if (get.mock.calls.length > 20) throw new Error('asked for without end')
    return EarlyShardBlocks.prototype.get.apply(early, asked)
  })
  const again = early.get(top(1), ASKING)
  await new Promise((done) => setImmediate(done))
  expect(answers.length).toBe(2)
  answers[1]!(FILE)
  expect(await again).toBe(FILE)
})

test('no blocks are expected where many shards would occupy the servers', () => {
  const asked: number[] = []
  const findBlock = async ({ seqno }: { seqno: number }) => {
    asked.push(seqno)
    throw new BlockNotAvailable('block', 'test')
  }
  const { source } = slowSource()
  const early = new EarlyShardBlocks({ ...source, findBlock, roundTripMs: () => 100 })
  early.expect(tops(17), 9)
  expect(asked).toEqual([])
  early.expect(tops(16), 9)
  expect(asked).toEqual(Array(16).fill(8))
})

/** Fetches the step with most shard blocks as the head; what happens to shard blocks, in order. */
async function fetchLargest(options: { readonly isRestless?: boolean }) {
  const steps = [...generatedChain({ seed: 2, steps: 8, accounts: 4, transactions: 1, ...options })]
  const count = Math.max(...steps.map(({ shards }) => shards.length))
  const { masterchain, mcSeqno } = steps.find(({ shards }) => shards.length === count)!
  const order: string[] = []
  const generated = generatedSource(steps)
  const source: BlockSource = {
    ...generated,
    roundTripMs: () => 100,
    getBlock: async (id, asking) => {
      const bytes = await generated.getBlock(id, asking)
      if (id.workchain === 0) order.push('got')
      return bytes
    },
    findBlock: (_, { once } = {}) => {
      if (once) order.push('expected')
      return Promise.reject(new BlockNotAvailable('block', 'test'))
    },
  }
  const fetcher = new BatchFetcher(source)
  fetcher.learn(masterchain.raw.id)
  const asking = { urgent: true, signal: new AbortController().signal }
  await fetcher.range({ from: mcSeqno, to: mcSeqno }, asking)(mcSeqno)
  return { order, count }
}

test('the next blocks of shards are asked for together with a few of this one', async () => {
  const { order, count } = await fetchLargest({})
  expect(count).toBeGreaterThan(1)
  expect(count).toBeLessThanOrEqual(16)
  expect(order.lastIndexOf('expected')).toBeLessThan(order.indexOf('got'))
  expect(order.indexOf('expected')).toBe(0)
})

test('the next blocks of shards are asked for after many of this one have arrived', async () => {
  const { order, count } = await fetchLargest({ isRestless: true })
  expect(count).toBeGreaterThan(16)
  expect(order.indexOf('expected')).toBe(count)
  expect(order.lastIndexOf('got')).toBe(count - 1)
})
