import { restoreBlock } from '@shardwalk/raptorq'
import { randomFrom, TestClock } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { MemoryBudget, Rldp } from './index.ts'

const SEED = testSeed()

interface LineKind {
  /** One way, in milliseconds. */
  readonly latencyMs: number
  readonly loss: number
  /** Share of datagrams that arrive up to `lateMs` later than others. */
  readonly reorder: number
  readonly lateMs: number
}
const TICK_MS = 5

/**
 * Simulated milliseconds that queries need one after the other, with answers of these sizes, once one has
 * shown how far the peer is.
 */
async function timeOf(sizes: readonly number[], line: LineKind, random: () => number): Promise<number> {
  const clock = new TestClock()
  const memory = new MemoryBudget()
  const underWay = new Map<number, (() => void)[]>()
  let ids = 0
  const end = (other: () => Rldp, onQuery?: (query: Buffer) => Promise<Buffer>): Rldp =>
    new Rldp({
      send: (data) => {
        if (random() < line.loss) return
        const late = random() < line.reorder ? Math.ceil(random() * line.lateMs) : 0
        const at = clock.now() + line.latencyMs + late
        underWay.set(at, [...(underWay.get(at) ?? []), () => void other().receive(data)])
      },
      ...{ clock, memory, random: (length) => Buffer.alloc(length, (ids += 1)) },
      restoreBlock: async (symbols) => restoreBlock(symbols),
      ...(onQuery && { onQuery }),
    })
  const client: Rldp = end(() => server)
  const server: Rldp = end(
    () => client,
    async (query) => Buffer.alloc(query.readUInt32LE(), 7),
  )
  let known = 0
  for (const size of [1, ...sizes]) {
    const query = Buffer.alloc(4)
    query.writeUInt32LE(size)
    let length: number | undefined
    client
      .query(query, { maxAnswerSize: 1 << 22, timeoutMs: 30_000 })
      .then((answer) => (length = answer.length))
      .catch(() => (length = -1))
    for (; length === undefined; clock.advance(1)) {
      const arriving = underWay.get(clock.now())
      underWay.delete(clock.now())
      for (const deliver of arriving ?? []) deliver()
      if (arriving) await new Promise((resolve) => setImmediate(resolve))
      if (clock.now() % TICK_MS !== 0) continue
      client.tick()
      server.tick()
    }
    expect(length, `SEED=${SEED}`).toBe(size)
    known ||= clock.now()
  }
  return clock.now() - known
}

const GOOD = { loss: 0, reorder: 0, lateMs: 0 }

test('a tenth lost and a third reordered takes answers at most twice the time', async () => {
  const random = randomFrom(SEED)
  const sizesUpTo = (count: number, most: number) =>
    Array.from({ length: count }, () => Math.ceil(random() * most))
  for (const sizes of [sizesUpTo(60, 3_000), sizesUpTo(25, 60_000), [400_000, 700_000]])
    for (const latencyMs of [10, 60]) {
      const without = await timeOf(sizes, { latencyMs, ...GOOD }, random)
      const bad = { latencyMs, loss: 0.1, reorder: 0.3, lateMs: Math.max(3, latencyMs / 4) }
      const withFaults = await timeOf(sizes, bad, random)
      const which = `SEED=${SEED} ${sizes.length} answers, ${latencyMs} ms`
      expect(withFaults / without, which).toBeLessThan(2)
    }
})
