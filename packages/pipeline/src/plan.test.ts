import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BackfillOrder, mergeRanges, missingRanges, planWork, type SeqnoRange } from './index.ts'

const MAX = 120
const rangeArb = fc
  .tuple(fc.integer({ min: 1, max: MAX }), fc.integer({ min: 1, max: MAX }))
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const rangesArb = fc.array(rangeArb, { maxLength: 8 })
const orderArb = fc.constantFrom<BackfillOrder>('oldest-first', 'newest-first', 'off')
const members = (ranges: readonly SeqnoRange[]) =>
  new Set(ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)))

test('merged ranges hold the same seqnos and never touch', () => {
  fc.assert(
    fc.property(rangesArb, (ranges) => {
      const merged = mergeRanges(ranges)
      expect(members(merged)).toEqual(new Set([...members(ranges)].sort((a, b) => a - b)))
      for (let i = 1; i < merged.length; i++) expect(merged[i]!.from).toBeGreaterThan(merged[i - 1]!.to + 1)
    }),
  )
})

test('missing and done together cover what is wanted, without overlap', () => {
  fc.assert(
    fc.property(rangeArb, rangesArb, (wanted, done) => {
      const missing = members(missingRanges(wanted, done))
      const finished = members(done)
      for (let seqno = wanted.from; seqno <= wanted.to; seqno++)
        expect(missing.has(seqno)).toBe(!finished.has(seqno))
      for (const seqno of missing) expect(seqno >= wanted.from && seqno <= wanted.to).toBe(true)
    }),
  )
})

test('executing plans indexes every wanted seqno exactly once, in any order and job size', () => {
  fc.assert(
    fc.property(
      rangeArb,
      rangesArb,
      orderArb,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: MAX }),
      (...args) => {
        const [wanted, indexed, order, jobSize, gapsAbove] = args
        const done: SeqnoRange[] = [...indexed]
        const seen = new Set<number>()
        for (;;) {
          const planned = planWork(
            { wanted, indexed: done, outstanding: [], order, gapsAbove },
            { jobSize, limit: 3 },
          )
          if (planned.length === 0) break
          for (const range of planned) {
            expect(Math.floor(range.from / jobSize)).toBe(Math.floor(range.to / jobSize))
            for (const seqno of members([range])) {
              expect(seen.has(seqno) || members(indexed).has(seqno)).toBe(false)
              seen.add(seqno)
            }
            done.push(range)
          }
        }
        const rest = missingRanges(wanted, done)
        if (order === 'off') {
          const oldest = Math.min(...members(indexed))
          expect(rest.every((range) => range.to < oldest)).toBe(true)
        } else expect(rest).toEqual([])
      },
    ),
  )
})

test('gaps above the last known head go before history, and history follows the wanted order', () => {
  const state = {
    wanted: { from: 1, to: 99 },
    indexed: [{ from: 40, to: 60 }],
    outstanding: [{ from: 32, to: 35 }],
    gapsAbove: 60,
  }
  const names = (order: BackfillOrder) =>
    planWork({ ...state, order }, { jobSize: 32, limit: 10 }).map(
      (range) => `${range.kind} ${range.from}-${range.to}`,
    )
  expect(names('oldest-first')).toEqual([
    'gap 61-63',
    'gap 64-95',
    'gap 96-99',
    'history 1-31',
    'history 36-39',
  ])
  expect(names('newest-first')).toEqual([
    'gap 61-63',
    'gap 64-95',
    'gap 96-99',
    'history 36-39',
    'history 1-31',
  ])
  expect(names('off')).toEqual(['gap 61-63', 'gap 64-95', 'gap 96-99'])
})

test('processes that plan from the same state request the same jobs', () => {
  const state = {
    wanted: { from: 5, to: 90 },
    indexed: [],
    outstanding: [],
    order: 'oldest-first',
    gapsAbove: 90,
  } as const
  const limits = { jobSize: 32, limit: 2 }
  expect(planWork(state, limits)).toEqual(planWork(state, limits))
  expect(planWork(state, limits)).toEqual([
    { kind: 'history', from: 5, to: 31 },
    { kind: 'history', from: 32, to: 63 },
  ])
})
