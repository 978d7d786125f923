import { masterchainId } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import type { BlockSource } from '@shardwalk/pipeline'
import { expect, test } from 'vitest'
import { HeadFollower } from './head-follower.ts'
import { formatDuration, Progress, progressLine } from './progress.ts'
import { IngestState } from './state.ts'
import { Watchdog } from './watchdog.ts'

function setUp({ headMayStand = false } = {}) {
  let at = 0
  const logged: string[] = []
  const aborted: string[] = []
  const state = new IngestState(() => at)
  const log = {
    ...silentLogger,
    error: (message: string) => logged.push(message),
    warn: (message: string) => logged.push(message),
  }
  const watchdog = new Watchdog(
    {
      state,
      log,
      evidence: () => ({}),
      headMayStand,
      abortHeadJob: (reason) => aborted.push(reason.message),
    },
    () => at,
  )
  const pass = (ms: number, head?: () => void) => {
    for (const end = at + ms; at < end; at += 1_000) {
      head?.()
      watchdog.tick()
    }
  }
  return { state, pass, logged, aborted }
}

test('a head that is not indexed is noticed within ten seconds, and its job is cancelled', () => {
  const { state, pass, logged, aborted } = setUp()
  state.headSeen(10)
  state.indexedUpTo(9)
  pass(7_000)
  expect(aborted).toEqual([])
  pass(3_000)
  expect(logged).toContain('head is not indexed')
  expect(aborted).toHaveLength(1)
})

test('a head that keeps moving does not hide that nothing is indexed', () => {
  const { state, pass, aborted } = setUp()
  state.indexedUpTo(9)
  let seqno = 10
  pass(12_000, () => state.headSeen(seqno++))
  expect(aborted.length).toBeGreaterThan(0)
})

test('no problem is reported while every new block is indexed', () => {
  const { state, pass, logged, aborted } = setUp()
  let seqno = 10
  pass(60_000, () => {
    state.headSeen(seqno)
    state.indexedUpTo(seqno++)
  })
  expect([...logged, ...aborted]).toEqual([])
})

test('a network that stops is reported once', () => {
  const { state, pass, logged, aborted } = setUp()
  state.headSeen(10)
  state.indexedUpTo(10)
  pass(120_000)
  expect(logged).toEqual(['head of the network has stopped'])
  expect(aborted).toEqual([])
})

test('a chain that is known to end may stop, but a block of it that is not indexed is reported', () => {
  const { state, pass, logged } = setUp({ headMayStand: true })
  state.headSeen(10)
  state.indexedUpTo(10)
  pass(120_000)
  expect(logged).toEqual([])
  state.headSeen(11)
  pass(10_000)
  expect(logged).toEqual(['head is not indexed'])
})

test('a head far ahead counts as lag, a few blocks in progress do not', () => {
  let at = 0
  const state = new IngestState(() => at)
  state.headSeen(100)
  state.indexedUpTo(92)
  at = 5_000
  expect(state.behindMs()).toBe(0)
  for (; at < 60_000; at += 1_000) {
    state.headSeen(state.head + 3)
    state.indexedUpTo(state.newestIndexed + 2)
  }
  expect(state.behindMs()).toBeGreaterThan(50_000)
  state.indexedUpTo(state.head - 1)
  expect(state.behindMs()).toBe(0)
})

test('blocks count as missed only after the head’s lane had time for them', () => {
  let at = 0
  const state = new IngestState(() => at)
  // The lane begins with the first head: what is before it is missed at once.
  state.headSeen(100)
  expect(state.settledHead(3_000)).toBe(99)
  at = 3_000
  expect(state.settledHead(3_000)).toBe(100)
  state.headSeen(101)
  expect(state.settledHead(3_000)).toBe(100)
  state.headSeen(120)
  expect(state.settledHead(3_000)).toBe(104)
})

test('progress reports recent rates and the remaining time', () => {
  let at = 0
  const state = new IngestState(() => at)
  const progress = new Progress(state, () => at)
  state.headSeen(1_000)
  for (let seqno = 1; seqno <= 100; seqno++) {
    at += 100
    state.indexed({ seqnos: [seqno], blocks: 3, transactions: 50 })
  }
  progress.missing = 900
  const report = progress.report()
  expect(report).toMatchObject({ blocksPerSecond: 30, transactionsPerSecond: 500, etaSeconds: 90 })
  expect(progressLine(report)).toBe(
    'head 1000 (900 behind), 900 blocks missing, 30 blocks/s, 500 tx/s, 2 min left',
  )
  expect(formatDuration(100_000)).toBe('27 h 47 min')
})

test('the head is known while a source answers, even without a new block', async () => {
  let at = 0
  const state = new IngestState(() => at)
  const stopping = new AbortController()
  const answers = [() => blockOf(8), () => undefined, () => fail(), () => fail()]
  const known: number[] = []
  const source = {
    head: async () => blockOf(7),
    waitForMasterchain: async (seqno: number) => {
      // Whether a head far above is still reported.
      if (seqno === 1) return blockOf(8)
      known.push(state.headUnconfirmedMs())
      at += 1_000
      const answer = answers.shift()
      if (!answer) {
        stopping.abort()
        return undefined
      }
      return answer()
    },
  }
  await new HeadFollower({
    source: source as unknown as BlockSource,
    queue: { add: async () => {} },
    fetcher: { learn: () => {} },
    state,
    log: silentLogger,
  }).run(stopping.signal)
  expect(known).toEqual([0, 0, 0, 1_000, 2_000])
})

test('blocks that wait for others are queued as one range', async () => {
  const state = new IngestState()
  const stopping = new AbortController()
  const queued: { from: number; to: number }[] = []
  const follower = new HeadFollower({
    source: {
      head: async () => blockOf(100),
      waitForMasterchain: async (seqno) => {
        if (seqno < 125) return blockOf(seqno)
        await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))
        return undefined
      },
    },
    queue: { add: async ([job]) => void queued.push(job!) },
    fetcher: { learn: () => {} },
    state,
    log: silentLogger,
  })
  const running = follower.run(stopping.signal)
  await expect.poll(() => state.head).toBe(124)
  await expect.poll(() => queued.at(-1)?.to).toBeGreaterThanOrEqual(115)
  const before = queued.length
  state.indexedUpTo(124)
  follower.wake()
  await expect.poll(() => queued.at(-1)?.to).toBe(124)
  expect(queued).toHaveLength(before + 1)
  stopping.abort()
  await running
})

const blockOf = (seqno: number) => ({
  ...masterchainId(seqno),
  rootHash: Buffer.alloc(32),
  fileHash: Buffer.alloc(32),
})
const fail = (): never => {
  throw new Error('no server answers')
}
