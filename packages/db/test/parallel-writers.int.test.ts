import { randomFrom, type ScratchDatabase, scratchDatabase, shuffled } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BatchSink,
  CHECKED_TABLES,
  createDb,
  derivedTables,
  type EncodedBatch,
  listIndexedRanges,
  tableChecksums,
} from '../src/index.ts'
import { LOCK_KEYS, lockMessages } from '../src/writing/locks.ts'

// Batches wait for each other only over what they have in common.

const LAST = isLong ? 110 : 46

let scratch: ScratchDatabase
let batches: readonly EncodedBatch[]
let expected: unknown

beforeAll(async () => {
  scratch = await scratchDatabase({ max: 8 })
  batches = await recordedBatches({ to: LAST })
  await new BatchSink(scratch.pool).commitBatches(batches)
  expected = await checksums()
})
afterAll(() => scratch?.close())

const checksums = async () => Object.fromEntries(await tableChecksums(scratch.db, CHECKED_TABLES))

async function empty(): Promise<void> {
  const tables = (await derivedTables(scratch.db)).filter((table) => table !== 'network')
  await scratch.pool.query(
    `truncate ${tables.join(', ')}, refresh_queue, event_queue, unclassified_traces, missing_states`,
  )
}

/** Open messages of a batch: sent or received there, the other end elsewhere. */
const openOf = ({ traces }: EncodedBatch) => [...traces.open.sent.keys, ...traces.open.received.keys]

test.each(['new accounts', 'none'])(
  'the head is written while a batch of history waits, in common: %s',
  async (inCommon) => {
    await empty()
    const sink = new BatchSink(scratch.pool)
    await sink.commitBatches(batches.slice(0, 20))
    const known = new Set(batches.slice(0, 20).flatMap(({ accounts }) => [...accounts.ids]))
    const history = batches.slice(20).find((one) => one.traces.open.received.keys.length > 0)!
    const keys = openOf(history)
    const others = batches.slice(21).filter((one) => !openOf(one).some((number) => keys.includes(number)))
    const isNew = (id: bigint) => !known.has(id) && history.accounts.ids.includes(id)
    const head = others.find((one) => (one.accounts.ids.some(isNew) ? 'new accounts' : 'none') === inCommon)!
    const blocker = await scratch.pool.connect()
    try {
      await blocker.query('begin')
      await lockMessages(blocker, [{ accountId: keys[0]! as never, lt: keys[1]! as never }], 100)
      let isDone = false
      const waiting = sink.commitBatches([history]).finally(() => {
        isDone = true
      })
      await expect
        .poll(async () => {
          const locks = await scratch.pool.query(
            `select from pg_locks where locktype = 'advisory' and not granted and classid = $1
             and database = (select oid from pg_database where datname = current_database())`,
            [LOCK_KEYS.messages],
          )
          return locks.rowCount
        })
        .toBe(1)
      expect(await sink.commitBatches([head])).toEqual({ written: [head.mcBlockSeqno], skipped: [] })
      expect(isDone).toBe(false)
      await blocker.query('commit')
      expect((await waiting).written).toEqual([history.mcBlockSeqno])
    } finally {
      await blocker.query('rollback').catch(() => {})
      blocker.release()
    }
  },
)

test.each([
  ['neighbours, in order', (list: readonly EncodedBatch[]) => [...list]],
  ['neighbours, newest first', (list: readonly EncodedBatch[]) => [...list].reverse()],
  ['in random order', (list: readonly EncodedBatch[]) => shuffled(list, randomFrom(testSeed()))],
])('four writers at once leave the same tables: %s', async (_, order) => {
  await empty()
  const queue = order(batches)
  const handles = Array.from({ length: 4 }, () => createDb({ url: scratch.url, max: 2 }))
  try {
    await Promise.all(
      handles.map(async ({ pool }, number) => {
        const sink = new BatchSink(pool)
        while (queue.length > 0) await sink.commitBatches(queue.splice(0, 1 + number))
      }),
    )
    expect(await listIndexedRanges(scratch.db)).toEqual([{ from: 1, to: LAST }])
    expect(await checksums()).toEqual(expected)
  } finally {
    await Promise.all(handles.map((handle) => handle.close()))
  }
})

test('a batch with more open messages than there are locks excludes all others', async () => {
  const [one, other] = [await scratch.pool.connect(), await scratch.pool.connect()]
  const messages = Array.from({ length: 5 }, (_, index) => ({ accountId: 1n as never, lt: BigInt(index) }))
  try {
    await one.query('begin')
    await other.query('begin')
    await lockMessages(one, messages as never, 4)
    const waiting = lockMessages(other, [{ accountId: 2n as never, lt: 9n as never }], 4)
    const isFirst = await Promise.race([waiting.then(() => false), one.query('select 1').then(() => true)])
    expect(isFirst).toBe(true)
    await one.query('commit')
    await waiting
    await other.query('commit')
  } finally {
    one.release()
    other.release()
  }
})

test.each([0, 3])('a batch with %i open messages excludes a repair as long as it is open', async (count) => {
  const client = await scratch.pool.connect()
  const messages = Array.from({ length: count }, (_, index) => ({
    accountId: 1n as never,
    lt: BigInt(index),
  }))
  try {
    await client.query('begin')
    await lockMessages(client, messages as never, 4)
    const { rows } = await client.query(
      `select classid::int as key, mode, count(*)::int from pg_locks
       where locktype = 'advisory' and pid = pg_backend_pid() group by 1, 2 order by 2`,
    )
    expect(rows).toEqual([
      ...(count > 0 ? [{ key: LOCK_KEYS.messages, mode: 'ExclusiveLock', count }] : []),
      { key: LOCK_KEYS.traces, mode: 'ShareLock', count: 1 },
    ])
    await client.query('commit')
  } finally {
    client.release()
  }
})
