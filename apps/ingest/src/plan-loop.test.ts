import { silentLogger } from '@shardwalk/observability'
import type { SeqnoRange } from '@shardwalk/pipeline'
import type { Job, Outstanding } from '@shardwalk/queue'
import { expect, test } from 'vitest'
import { PlanLoop, type PlanLoopOptions } from './plan-loop.ts'
import { IngestState } from './state.ts'

/** A queue that only holds jobs. */
class HeldJobs {
  readonly jobs: Job[] = []
  asked = 0
  async add(jobs: readonly Job[]) {
    this.jobs.push(...jobs)
  }
  async outstanding(lane: string): Promise<Outstanding[]> {
    this.asked++
    const inLane = this.jobs.filter((job) => (job.name === 'index_head') === (lane === 'head'))
    return inLane.map((job) => ({ job, state: 'waiting' }))
  }
  async removeFailed() {
    this.asked++
    return 0
  }
  async removeAfter(seqno: number) {
    this.jobs.splice(0, this.jobs.length, ...this.jobs.filter(({ from }) => from <= seqno))
  }
}

function planning(options: Partial<PlanLoopOptions> & { head: number; indexed?: SeqnoRange[] }) {
  let at = 0
  const state = new IngestState(() => at)
  state.headSeen(options.head)
  at = 60_000
  const queue = new HeldJobs()
  const indexed = options.indexed ?? []
  const plan = new PlanLoop({
    queue,
    state,
    indexedRanges: async () => indexed,
    start: 'genesis',
    order: 'oldest-first',
    maxOutstanding: 4,
    log: silentLogger,
    ...options,
  })
  return { plan, queue, indexed, state }
}

const names = (jobs: readonly Job[]) => jobs.map((job) => `${job.name} ${job.from}-${job.to}`)

test('outstanding work is bounded, and no seqno is queued twice', async () => {
  const { plan, queue } = planning({ head: 1_000 })
  expect(await plan.planOnce()).toHaveLength(4)
  expect(await plan.planOnce()).toEqual([])
  expect(names(queue.jobs)).toEqual([
    'index_history 1-31',
    'index_history 32-63',
    'index_history 64-95',
    'index_history 96-127',
  ])
})

test('after the loss of the queue everything missing is queued again', async () => {
  const { plan, queue } = planning({ head: 100, indexed: [{ from: 1, to: 63 }] })
  const before = names(await plan.planOnce())
  queue.jobs.length = 0
  expect(names(await plan.planOnce())).toEqual(before)
})

test('blocks missed while the head was not followed go before history', async () => {
  const { plan } = planning({
    head: 500,
    start: 1,
    indexed: [{ from: 200, to: 450 }],
    order: 'newest-first',
    maxOutstanding: 3,
  })
  // This process saw nothing above 450, so all of it is a gap.
  expect(names(await plan.planOnce())).toEqual([
    'index_gap 451-479',
    'index_gap 480-500',
    'index_history 192-199',
  ])
})

test('starting at the head requests nothing older than what is indexed', async () => {
  expect(await planning({ head: 500, start: 'head' }).plan.planOnce()).toEqual([
    { name: 'index_history', from: 500, to: 500 },
  ])
  const { plan } = planning({ head: 500, start: 'head', indexed: [{ from: 400, to: 500 }] })
  expect(await plan.planOnce()).toEqual([])
})

test('with backfill off, neither what is first nor what is missing counts history', async () => {
  let missing: number | undefined
  const onMissing = (count: number) => {
    missing = count
  }
  const { plan, indexed } = planning({
    head: 500,
    indexed: [{ from: 400, to: 499 }],
    order: 'off',
    onMissing,
  })
  expect(names(await plan.planOnce())).toEqual(['index_gap 500-500'])
  expect([plan.first, missing]).toEqual([400, 1])
  // By the command `backfill`.
  indexed.splice(0, 1, { from: 300, to: 350 }, { from: 400, to: 500 })
  await plan.planOnce()
  expect([plan.first, missing]).toEqual([300, 49])
  const empty = planning({ head: 500, order: 'off' })
  await empty.plan.planOnce()
  expect(empty.plan.first).toBe(500)
})

test('nothing before what retention keeps is requested, however far that moves', async () => {
  let kept: number | undefined
  const { plan, queue } = planning({
    head: 500,
    indexed: [{ from: 400, to: 500 }],
    order: 'newest-first',
    retainedFrom: () => kept,
  })
  kept = 390
  expect(names(await plan.planOnce())).toEqual(['index_history 390-399'])
  queue.jobs.length = 0
  kept = 410
  expect(await plan.planOnce()).toEqual([])
})

test('gaps are found among any number of ranges', async () => {
  const indexed = Array.from({ length: 200_000 }, (_, nth) => ({ from: nth * 2 + 2, to: nth * 2 + 2 }))
  for (const order of ['oldest-first', 'newest-first', 'off'] as const) {
    const { plan } = planning({ head: 400_001, indexed, order, start: 'head' })
    const jobs = names(await plan.planOnce())
    expect(jobs).toHaveLength(4)
    expect(jobs).toContain(order === 'oldest-first' ? 'index_history 3-3' : 'index_gap 400001-400001')
  }
})

test('while nothing is missing, the queue is only cleared of failed jobs, once a minute', async () => {
  const { plan, queue, indexed } = planning({ head: 500, indexed: [{ from: 1, to: 500 }] })
  for (let look = 1; look < 60; look++) expect([await plan.planOnce(), queue.asked]).toEqual([[], 0])
  await plan.planOnce()
  expect(queue.asked).toBe(1)
  indexed.splice(0, 1, { from: 1, to: 300 }, { from: 302, to: 500 })
  expect(names(await plan.planOnce())).toEqual(['index_history 301-301'])
  expect(queue.asked).toBe(1 + 3)
})

test.each(['head', 'genesis'] as const)(
  'a head that is withdrawn leaves nothing, begun from %s',
  async (start) => {
    const { plan, queue, state } = planning({ head: 1_000_000, start, order: 'newest-first' })
    await plan.planOnce()
    expect(plan.first).toBe(start === 'head' ? 1_000_000 : 1)
    expect(queue.jobs.every(({ from }) => from > 900_000)).toBe(true)
    state.headWithdrawn(500)
    await plan.planOnce()
    expect(plan.first).toBe(start === 'head' ? 500 : 1)
    // Those of the withdrawn head counted when the first ones were planned.
    await plan.planOnce()
    expect(names(queue.jobs)).toContain(start === 'head' ? 'index_history 500-500' : 'index_history 480-500')
    expect(queue.jobs.every(({ to }) => to <= 500)).toBe(true)
  },
)

test('jobs of a head that another process has reported, or may report, stay', async () => {
  let reported = 1_000
  const { plan, queue } = planning({ head: 500, reportedHead: async () => reported })
  const jobs: Job[] = [532, 1_032].map((seqno) => ({ name: 'index_head', from: seqno, to: seqno }))
  queue.jobs.push(...jobs)
  await plan.planOnce()
  expect(queue.jobs).toEqual(expect.arrayContaining(jobs))
  reported = 500
  await plan.planOnce()
  expect(queue.jobs).toContain(jobs[0])
  expect(queue.jobs).not.toContain(jobs[1])
})
