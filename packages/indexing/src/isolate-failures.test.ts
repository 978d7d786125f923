import type { TransactionPlace } from '@shardwalk/blocks'
import { expect, test } from 'vitest'
import { isolateFailures, type LeftOut } from './isolate-failures.ts'

const account = { workchain: 0, hash: Buffer.alloc(32) }
const places: TransactionPlace[] = Array.from({ length: 50 }, (_, i) => ({ account, lt: BigInt(i) }))

/** A batch that fails as long as it contains one of these parts. */
const failingWith = (bad: readonly Pick<LeftOut, 'kind' | 'lt'>[]) => async (without: readonly LeftOut[]) => {
  const culprit = bad.find(
    ({ kind, lt }) =>
      !without.some((one) => one.lt === lt && (one.kind === kind || one.kind === 'transaction')),
  )
  return culprit && `${culprit.kind} ${culprit.lt}`
}

test('each faulty part is found with its own reason, a state without its transaction', async () => {
  const bad = [
    { kind: 'transaction', lt: 7n },
    { kind: 'state', lt: 8n },
    { kind: 'transaction', lt: 49n },
  ] as const
  const found = await isolateFailures(places, failingWith(bad))
  const sorted = [...found!].sort((a, b) => Number(a.lt - b.lt))
  expect(sorted.map(({ kind, lt, reason }) => ({ kind, lt, reason }))).toEqual(
    bad.map(({ kind, lt }) => ({ kind, lt, reason: `${kind} ${lt}` })),
  )
})

test('nothing is left out of a batch that does not fail', async () => {
  expect(await isolateFailures(places, async () => undefined)).toEqual([])
})

test('a failure that does not depend on transactions is not blamed on them', async () => {
  expect(await isolateFailures(places, async () => 'always')).toBeUndefined()
  expect(await isolateFailures([], async () => 'always')).toBeUndefined()
})

test('the search ends however many parts are faulty', async () => {
  const bad = places.map(({ lt }) => ({ kind: 'transaction', lt }) as const)
  expect(await isolateFailures(places, failingWith(bad))).toBeUndefined()
})
