import { type BlockId, blockKey, formatShortId, MASTERCHAIN, type ShortBlockId } from '@shardwalk/model'
import { Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AskOptions,
  BatchFetcher,
  BlockNotAvailable,
  type BlockSource,
  CommitQueue,
  type DecodedBatch,
  type Decoder,
  indexRange,
  type SeqnoRange,
} from './index.ts'

/** Blocks of the recorded network with one to four shard blocks each. */
const RANGE = { from: 200, to: 299 }

let recording: Recording
const blocks = new Map<string, Buffer>()
const ids = new Map<string, BlockId>()
beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const recorded = new RecordingSource(recording)
  for (const { block, mcBlockSeqno } of recording.blocks()) {
    if (mcBlockSeqno < RANGE.from - 1 || mcBlockSeqno > RANGE.to) continue
    ids.set(formatShortId(block.id), block.id)
    blocks.set(blockKey(block.id), await recorded.getBlock(block.id))
  }
})
afterAll(() => recording.close())

/** Time that advances only when nothing else can happen. Milliseconds. */
class VirtualTime {
  now = 0
  private readonly sleepers: { readonly at: number; wake(): void }[] = []

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      const at = this.now + ms
      const index = this.sleepers.findIndex((other) => other.at > at)
      this.sleepers.splice(index < 0 ? this.sleepers.length : index, 0, { at, wake })
    })
  }

  async runUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false
    const end = () => {
      isDone = true
    }
    work.then(end, end)
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      const next = this.sleepers.shift()
      if (isDone) return void (await work)
      if (!next) throw new Error('everybody waits')
      this.now = next.at
      next.wake()
    }
  }
}

/** The recorded chain at a distance; counts requests. */
function distantSource(time: VirtualTime, roundTripMs: number, bornAt: (seqno: number) => number) {
  const asked: string[] = []
  const answer = async <T>(what: string, value: T | undefined): Promise<T> => {
    asked.push(what)
    await time.sleep(roundTripMs)
    if (value === undefined) throw new BlockNotAvailable(what, 'test')
    return value
  }
  const commits = new Map(
    [...recording.blocks()].map(({ block, mcBlockSeqno }) => [formatShortId(block.id), mcBlockSeqno]),
  )
  const findBlock = async (id: ShortBlockId, { mcBlockSeqno = 0 }: AskOptions = {}) => {
    const name = formatShortId(id)
    asked.push(`find ${name}`)
    await time.sleep(roundTripMs / 2)
    if (mcBlockSeqno > 0) await time.sleep(Math.max(0, bornAt(mcBlockSeqno) - time.now))
    const isThere = bornAt(commits.get(name) ?? Number.POSITIVE_INFINITY) <= time.now
    await time.sleep(roundTripMs / 2)
    const found = isThere ? ids.get(name) : undefined
    if (!found) throw new BlockNotAvailable(name, 'test')
    return found
  }
  const source: Partial<BlockSource> = {
    findBlock,
    roundTripMs: () => roundTripMs,
    masterchainBlockId: (seqno) => findBlock({ workchain: MASTERCHAIN, shard: 1n << 63n, seqno }),
    getBlock: (id) => answer(`get ${formatShortId(id)}`, blocks.get(blockKey(id))),
    globalVersionAtKeyBlock: async () => 12,
  }
  return { source: source as BlockSource, asked }
}

const WRITING_MS = 20
const decoder: Decoder<number> = {
  decode: async (raw) => ({
    mcBlockSeqno: raw.mcBlockSeqno,
    raw,
    encoded: 1,
    undecodable: [],
    unread: [],
    blocks: 1,
    transactions: 1,
  }),
}

interface Run {
  readonly roundTripMs: number
  readonly intervalMs: number
  /** As configured in the app. */
  readonly concurrency?: number
}

/** Follows a head that moves at a steady rate; returns the lag of each block and the requests. */
async function followHead({ roundTripMs, intervalMs, concurrency = 12 }: Run) {
  const time = new VirtualTime()
  const bornAt = (seqno: number) => (seqno - RANGE.from) * intervalMs
  const { source, asked } = distantSource(time, roundTripMs, bornAt)
  const fetcher = new BatchFetcher(source)
  const lags: number[] = []
  const seqnos: number[] = []
  const commits = new CommitQueue<number>({
    sink: { commit: () => time.sleep(WRITING_MS) },
    parallel: 1,
    now: () => time.now,
    onCommit: (batches: readonly DecodedBatch<number>[]) => {
      for (const { mcBlockSeqno } of batches) {
        seqnos.push(mcBlockSeqno)
        lags.push(time.now - bornAt(mcBlockSeqno))
      }
    },
  })
  const index = async (range: SeqnoRange) => {
    const { commit, end } = commits.beginHead(range.from)
    const sink = { indexedRanges: async () => [], commit }
    await indexRange(range, {
      ...{ fetcher, decoder, sink, urgent: true, signal: new AbortController().signal },
    }).finally(end)
  }
  const running = new Set<Promise<void>>()
  const run = async () => {
    for (let seqno = RANGE.from; seqno <= RANGE.to; seqno++) {
      // The id arrives half a round trip after the block exists.
      const visibleIn = bornAt(seqno) + roundTripMs / 2 - time.now
      if (visibleIn > 0) await time.sleep(visibleIn)
      while (running.size >= concurrency) await Promise.race(running)
      fetcher.learn(ids.get(formatShortId({ workchain: MASTERCHAIN, shard: 1n << 63n, seqno }))!)
      const work = index({ from: seqno, to: seqno }).finally(() => running.delete(work))
      running.add(work)
    }
    await Promise.all(running)
  }
  await time.runUntil(run())
  return { lags, seqnos, asked }
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

test.each([
  { roundTripMs: 1, intervalMs: 200 },
  { roundTripMs: 150, intervalMs: 400 },
  { roundTripMs: 300, intervalMs: 200 },
  { roundTripMs: 600, intervalMs: 200 },
])('a block every $intervalMs ms is kept up with over $roundTripMs ms', async (run) => {
  const { lags, seqnos } = await followHead(run)
  expect(seqnos).toEqual(Array.from({ length: 100 }, (_, index) => RANGE.from + index))
  expect(median(lags.slice(-20))).toBeLessThanOrEqual(median(lags.slice(0, 20)) + WRITING_MS)
  expect(median(lags)).toBeLessThanOrEqual(2.5 * run.roundTripMs + 2 * WRITING_MS)
  expect(Math.max(...lags)).toBeLessThanOrEqual(4 * run.roundTripMs + 5 * WRITING_MS)
})

test('one block at a time falls behind over the same distance', async () => {
  const { lags } = await followHead({ roundTripMs: 150, intervalMs: 200, concurrency: 1 })
  expect(median(lags.slice(-20))).toBeGreaterThan(median(lags.slice(0, 20)) + 3_000)
})

test.each([
  { roundTripMs: 150, intervalMs: 400 },
  { roundTripMs: 200, intervalMs: 400 },
  { roundTripMs: 250, intervalMs: 500 },
])('when time permits, shard blocks are known as early as their masterchain block: %o', async (run) => {
  const { lags } = await followHead(run)
  expect(median(lags)).toBeLessThanOrEqual(1.5 * run.roundTripMs + 2 * WRITING_MS)
})

test('no block and no known masterchain id is requested twice', async () => {
  const { asked } = await followHead({ roundTripMs: 150, intervalMs: 400 })
  const gets = asked.filter((what) => what.startsWith('get'))
  expect(new Set(gets).size).toBe(gets.length)
  expect(asked.filter((what) => what.startsWith('find (-1'))).toEqual([])
})

test('aborting a job does not discard what it fetched for others', async () => {
  const time = new VirtualTime()
  const { source } = distantSource(time, 100, () => 0)
  const fetcher = new BatchFetcher(source)
  const aborting = new AbortController()
  const abortable: BlockSource = {
    ...source,
    getBlock: async (id, asking) => {
      const bytes = await source.getBlock(id, asking)
      asking?.signal?.throwIfAborted()
      return bytes
    },
  }
  const shared = new BatchFetcher(abortable)
  const asking = (signal: AbortSignal) => ({ urgent: true, signal })
  const first = shared.range({ from: 210, to: 210 }, asking(aborting.signal))(210)
  const second = shared.range({ from: 210, to: 210 }, asking(new AbortController().signal))(210)
  aborting.abort()
  const expected = fetcher.range({ from: 210, to: 210 }, asking(new AbortController().signal))(210)
  await time.runUntil(Promise.allSettled([first, second, expected]))
  await expect(first).rejects.toThrow()
  expect(await second).toEqual(await expected)
})

test('history needs one lookup for four masterchain blocks, and one more after each failure', async () => {
  const time = new VirtualTime()
  const { source, asked } = distantSource(time, 100, () => 0)
  let refusals = 2
  const unsteady: BlockSource = {
    ...source,
    getBlock: async (id, asking) => {
      if (id.workchain === MASTERCHAIN && id.seqno === 215 && refusals-- > 0)
        throw new BlockNotAvailable(formatShortId(id), 'test')
      return source.getBlock(id, asking)
    },
  }
  const range = { from: 201, to: 236 }
  const committed: number[] = []
  const sink = {
    indexedRanges: async () => [],
    commit: async (batches: readonly DecodedBatch<number>[]) => {
      committed.push(...batches.map(({ mcBlockSeqno }) => mcBlockSeqno))
    },
  }
  const fetcher = new BatchFetcher(unsteady)
  const signal = new AbortController().signal
  await time.runUntil(indexRange(range, { fetcher, decoder, sink, urgent: false, signal }))
  expect(committed).toEqual(Array.from({ length: 36 }, (_, index) => range.from + index))
  const gets = asked.filter((what) => what.startsWith('get'))
  expect(new Set(gets).size).toBe(gets.length)
  expect(asked.length - gets.length).toBe(36 / 4 + 2)
})
