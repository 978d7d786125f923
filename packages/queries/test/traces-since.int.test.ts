import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ltBefore, tracesWithActionsSince } from '../src/index.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await classifiedChain()
})
afterAll(() => scratch?.close())

test('traces that ended before the block take no place from those that ended after it', async () => {
  const { rows } = await scratch.pool.query(
    `select i.id, r.trace_id, r.mc_seqno_end as seqno from traces r, lateral (
       select distinct unnest(account_ids_in(a.account_ids)) as id from actions a
       where a.trace_id = r.trace_id) i
     where r.state = 0 and i.id = (select account_id from action_accounts group by 1
       order by count(distinct trace_bytes) desc, 1 limit 1)
     order by r.end_lt, r.trace_id`,
  )
  const accounts = [rows[0].id as bigint]
  const mcBlockSeqno = rows[Math.floor(rows.length / 2)].seqno
  const lt = await ltBefore(scratch.db, mcBlockSeqno)
  const after = rows.filter(({ seqno }) => seqno > mcBlockSeqno).map(({ trace_id }) => trace_id)
  expect(after.length).toBeGreaterThan(3)
  const read = (limit: number) => tracesWithActionsSince(scratch.db, { accounts, lt, mcBlockSeqno, limit })
  const sorted = (ids: readonly Buffer[]) => ids.map((id) => id.toString('hex')).sort()
  expect(sorted(await read(1000))).toEqual(sorted(after))
  const some = await read(3)
  expect(some).toHaveLength(3)
  expect(sorted(after)).toEqual(expect.arrayContaining(sorted(some)))
})
