import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type AdmittedMessage,
  admitPending,
  claimPending,
  invalidatePending,
  movePendingAfterSetBack,
  PENDING_LIMITS,
  savePending,
  trimPending,
  withdrawPending,
} from '../src/index.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch?.close())
beforeEach(async () => {
  await scratch.pool.query('truncate pending_traces')
})

const message = (n: number, account = '0:A'): AdmittedMessage => ({
  hashNorm: Buffer.alloc(32, n),
  hash: Buffer.alloc(32, 100 + n),
  boc: Buffer.from([n]),
  account,
  accountId: 5n,
})

test('the table needs no log: a crash may empty it', async () => {
  const { rows } = await scratch.pool.query(
    `select relpersistence from pg_class where oid = 'pending_traces'::regclass`,
  )
  expect(rows).toEqual([{ relpersistence: 'u' }])
})

test('three messages to one account are admitted in ten seconds, however many processes ask', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, (_, n) => admitPending(scratch.db, message(n))))
  expect(all.filter((one) => one === 'admitted')).toHaveLength(3)
  expect(all.filter((one) => one === 'too frequent')).toHaveLength(3)
  expect(await admitPending(scratch.db, message(9, '0:B'))).toBe('admitted')
})

test('a message is admitted once, and again after it was given up', async () => {
  const { db, pool } = scratch
  const both = await Promise.all([admitPending(db, message(1)), admitPending(db, message(1))])
  expect(both.sort()).toEqual(['admitted', 'known'])
  const [claim] = await claimPending(db, { limit: 9, leaseMs: 60_000 })
  expect(await invalidatePending(db, claim!, 'expired')).toBe(true)
  expect(await admitPending(db, message(1))).toBe('known')
  await pool.query(`update pending_traces set changed_at = now() - interval '11 s'`)
  expect(await admitPending(db, message(1))).toBe('admitted')
  const { rows } = await pool.query('select state, version, reason from pending_traces')
  expect(rows).toEqual([{ state: 0, version: 2, reason: null }])
})

test('there is room for so many messages and no more', async () => {
  const limits = { ...PENDING_LIMITS, rows: 2, perAccount: 9 }
  expect(await admitPending(scratch.db, message(1), limits)).toBe('admitted')
  expect(await admitPending(scratch.db, message(2), limits)).toBe('admitted')
  expect(await admitPending(scratch.db, message(3), limits)).toBe('full')
})

test('one worker looks at a message at a time, and only the last one stores what it found', async () => {
  const { db, pool } = scratch
  await admitPending(db, message(1))
  const asked = { limit: 9, leaseMs: 60_000 }
  const [first] = await claimPending(db, asked)
  expect(await claimPending(db, asked)).toEqual([])
  await pool.query('update pending_traces set leased_until = now()')
  const [second] = await claimPending(db, asked)
  expect(await savePending(db, first!, { trace: 'old', dueMs: 0 })).toBe(false)
  expect(await savePending(db, second!, { trace: 'new', isPending: true, dueMs: 60_000 })).toBe(true)
  const { rows } = await pool.query('select trace, version, state from pending_traces')
  expect(rows).toEqual([{ trace: 'new', version: 1, state: 1 }])
  expect(await claimPending(db, asked)).toEqual([])
})

test('what is woken while somebody looks at it is looked at again', async () => {
  const { db, pool } = scratch
  await admitPending(db, message(1))
  const [claim] = await claimPending(db, { limit: 9, leaseMs: 60_000 })
  await pool.query('update pending_traces set due_at = now()')
  await savePending(db, claim!, { trace: 'x', isPending: true, dueMs: 60_000 })
  expect(await claimPending(db, { limit: 9, leaseMs: 60_000 })).toHaveLength(1)
})

test('a message that servers refuse late is withdrawn, unless it has happened', async () => {
  const { db, pool } = scratch
  const stateOf = async () => (await pool.query('select state from pending_traces')).rows[0]?.state
  await admitPending(db, message(1))
  const [looking] = await claimPending(db, { limit: 9, leaseMs: 60_000 })
  await withdrawPending(db, message(1).hashNorm, 'refused')
  expect(await savePending(db, looking!, { trace: 'late', isPending: true, dueMs: 0 })).toBe(false)
  // Nobody was notified of it, so it may be sent again at once.
  expect(await admitPending(db, message(1))).toBe('admitted')
  const [claimed] = await claimPending(db, { limit: 9, leaseMs: 60_000 })
  await savePending(db, claimed!, { trace: 'x', isPending: true, dueMs: 60_000 })
  await withdrawPending(db, message(1).hashNorm, 'refused')
  expect(await stateOf()).toBe(2)
  await pool.query('update pending_traces set state = 1, trace_id = hash')
  await withdrawPending(db, message(1).hashNorm, 'refused')
  expect(await stateOf()).toBe(1)
})

test('accounts of invalidated messages are remembered for five minutes, which takes no room', async () => {
  const { db, pool } = scratch
  const limits = { ...PENDING_LIMITS, rows: 1 }
  await admitPending(db, message(1))
  const [claim] = await claimPending(db, { limit: 9, leaseMs: 60_000 })
  await savePending(db, claim!, { accounts: ['0:A', '0:B'], trace: '{}', isPending: true, dueMs: 60_000 })
  expect(await admitPending(db, message(2, '0:C'), limits)).toBe('full')
  await invalidatePending(db, claim!, 'expired')
  const { rows } = await pool.query('select accounts, trace, length(boc) as boc from pending_traces')
  expect(rows).toEqual([{ accounts: ['0:A', '0:B'], trace: null, boc: 0 }])
  expect(await admitPending(db, message(2, '0:C'), limits)).toBe('admitted')
  const left = async (age: string) => {
    await pool.query(`update pending_traces set changed_at = now() - $1::interval where state = 2`, [age])
    await trimPending(db)
    return (await pool.query('select from pending_traces where state = 2')).rowCount
  }
  expect(await left('4 minutes')).toBe(1)
  // Not more than the last 5,000.
  await pool.query(
    `insert into pending_traces select sha256(i::text::bytea), hash, boc, account, account_id, state, reason,
       version, accounts, trace, trace_id, seen_lt, seen_nodes, admitted_at, now() - i * interval '1 ms',
       expires_at, due_at, leased_until, lease, awaited
     from pending_traces, generate_series(1, 5000) i where state = 2`,
  )
  await trimPending(db)
  expect((await pool.query('select from pending_traces where state = 2')).rowCount).toBe(5_000)
  expect(await left('6 minutes')).toBe(0)
})

test('after the clock of the database was set back, messages go on as they were', async () => {
  const { db, pool } = scratch
  const asked = { limit: 9, leaseMs: 20_000 }
  for (const n of [1, 2, 3]) await admitPending(db, message(n))
  const [given, leased] = await claimPending(db, { ...asked, limit: 2 })
  await invalidatePending(db, given!, 'expired')
  const times = () =>
    pool.query(
      `select admitted_at - now() < '1 s' and changed_at - now() < '1 s' as began,
         due_at = 'infinity' as idle,
         leased_until - now() < '21 s' as leased, expires_at - now() < '61 s' as ends
       from pending_traces order by hash_norm = $1 desc, hash_norm = $2 desc`,
      [given!.hash_norm, leased!.hash_norm],
    )
  const before = await times()
  await movePendingAfterSetBack(db)
  expect((await times()).rows).toEqual(before.rows)
  // As seen by a clock that is three days behind the former one.
  await pool.query(`update pending_traces set admitted_at = admitted_at + '3 d'::interval,
    changed_at = changed_at + '3 d'::interval, expires_at = expires_at + '3 d'::interval,
    due_at = due_at + '3 d'::interval, leased_until = leased_until + '3 d'::interval`)
  expect(await claimPending(db, asked)).toEqual([])
  await movePendingAfterSetBack(db)
  // Its lease may have ended in the meantime.
  expect(await claimPending(db, asked)).toHaveLength(2)
  await pool.query(`update pending_traces set admitted_at = admitted_at - '11 s'::interval,
    changed_at = changed_at - '61 s'::interval`)
  await trimPending(db)
  expect(await admitPending(db, message(4))).toBe('admitted')
})
