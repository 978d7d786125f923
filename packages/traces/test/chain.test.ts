import { fixtureChain } from '@shardwalk/testkit'
import { beforeAll, expect, test } from 'vitest'
import type { TraceInput } from '../src/index.ts'
import { MemoryStore } from './memory-store.ts'

const batches: TraceInput[][] = []

beforeAll(async () => {
  for await (const { mcBlockSeqno, batch } of fixtureChain())
    batches.push(
      [...batch.shards, batch.masterchain].flatMap(({ transactions }) =>
        transactions.map((transaction) => ({ transaction, mcBlockSeqno })),
      ),
    )
})

const store = (order: readonly (readonly TraceInput[])[]): MemoryStore => {
  const memory = new MemoryStore()
  for (const batch of order) memory.add(batch)
  return memory
}

/** Batches as several workers would process them: every third, then the next third, and so on. */
const interleaved = (): TraceInput[][] =>
  [2, 0, 1].flatMap((rest) => batches.filter((_, i) => i % 3 === rest))

test('a real chain gives the same tables forwards, backwards and interleaved', () => {
  const forwards = store(batches).snapshot()
  expect(store([...batches].reverse()).snapshot()).toEqual(forwards)
  expect(store(interleaved()).snapshot()).toEqual(forwards)
})

test('every transaction is in one trace, and none is broken when indexed from the zerostate', () => {
  const memory = store(batches)
  const { traces, traceOf } = memory
  const rows = [...traces.values()]
  expect(traceOf.size).toBe(7637)
  expect(rows.reduce((sum, { nodes }) => sum + nodes, 0)).toBe(7637)
  expect(rows.filter(({ state }) => state === 'broken')).toEqual([])
  expect(rows.reduce((sum, { pendingEdges }) => sum + pendingEdges, 0)).toBe(memory.open.length)
})

test('a start in the middle leaves broken traces that are repaired when earlier blocks arrive', () => {
  const memory = store(batches.slice(300))
  expect([...memory.traces.values()].some(({ state }) => state === 'broken')).toBe(true)
  for (const batch of batches.slice(0, 300).reverse()) memory.add(batch)
  expect(memory.snapshot()).toEqual(store(batches).snapshot())
})
