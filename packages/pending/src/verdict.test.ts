import { PENDING_STATE } from '@shardwalk/db'
import { expect, test } from 'vitest'
import type { StoredNode } from './stored-trace.ts'
import { judgeBegun, judgeConfirmed, lifeMs, refusedCheckMs, type Verdict } from './verdict.ts'

const [ADMITTED, PENDING] = ['admitted', 'pending'].map((name) => PENDING_STATE.indexOf(name as never)) as [
  number,
  number,
]
const [COMPLETE, BEGUN] = [0, 1]
const CONFIRMED = { expected: [{ confirmed: {} } as StoredNode] }
const EXPECTED = { expected: [{} as StoredNode] }

/** Looks whenever a verdict says so, by a clock of its own, until the message is no more. Milliseconds. */
function end(judge: (changed: { readonly changed_ms: number }) => Verdict) {
  let now = 0
  for (let looks = 1; looks < 10_000; looks++) {
    const verdict = judge({ changed_ms: -now })
    if (verdict.kind !== 'keep') return { ...verdict, after: now }
    expect(verdict.update.dueMs).toBeGreaterThan(0)
    now += verdict.update.dueMs
  }
  throw new Error('it is looked at for ever')
}

const trace = (state: number, rest: { unclassified?: boolean; failed?: boolean } = {}) => ({
  ...{ state, unclassified: false, failed: false },
  ...rest,
})

test.each([
  ['in which nothing happens is given up after a minute', trace(BEGUN), EXPECTED, 'invalidate', 60_000],
  ['of which the rest is signed waits for ten', trace(BEGUN), CONFIRMED, 'invalidate', 600_000],
  ['that is whole and classified stays for 30 s', trace(COMPLETE), EXPECTED, 'delete', 30_000],
  [
    'that cannot be classified too',
    trace(COMPLETE, { failed: true, unclassified: true }),
    EXPECTED,
    'delete',
    30_000,
  ],
  [
    'whose classifier is away waits for ten minutes',
    trace(COMPLETE, { unclassified: true }),
    EXPECTED,
    'delete',
    600_000,
  ],
])('a trace %s', (_claim, row, stored, kind, after) => {
  expect(end((changed) => judgeBegun(changed, row, stored))).toMatchObject({ kind, after })
})

test('a block that does not become final is given up after ten minutes, silently if nobody got it', () => {
  const judged = (state: number) => end((changed) => judgeConfirmed({ ...changed, state }))
  expect(judged(PENDING)).toMatchObject({ kind: 'invalidate', after: 600_000 })
  expect(judged(ADMITTED)).toMatchObject({ kind: 'delete', after: 600_000 })
})

test.each([
  ['says nothing', undefined, 0, 30_000],
  ['says nothing and was sent 50 s ago to a receiver that changes', undefined, -50_000, 10_000],
  ['is valid for ten seconds', 10, 0, 25_000],
  ['is valid for an hour', 3_600, 0, 60_000],
  ['is valid for an hour and was sent 50 s ago', 3_600, -50_000, 10_000],
  ['was valid 15 s ago', -15, 0, 0],
  ['was valid long ago', -3_600, -1_000, 0],
])(
  'a message that %s is given up in time, by the clock of the chain',
  (_claim, seconds, admittedMs, expected) => {
    const utime = 1_700_000_000
    const validUntil = seconds === undefined ? undefined : utime + seconds
    expect(lifeMs({ admittedMs, validUntil, utime })).toBe(expected)
  },
)

test('a message that the index refuses is looked at again while it may be behind, then given up', () => {
  const looks: number[] = []
  for (let now = 0; now < 60_000; looks.push(now))
    now += refusedCheckMs({ admitted_ms: -now, expires_ms: 60_000 - now })
  expect(looks).toEqual([1_000, 2_000, 4_000, 8_000, 60_000])
  expect(refusedCheckMs({ admitted_ms: -10, expires_ms: 300 })).toBe(300)
})
