import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain, recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BatchSink,
  classifyWaiting,
  daysOf,
  deriveTokenEvents,
  enqueueForClassifier,
  fillHashFilters,
  finishAirdrop,
  firstSeqnoFrom,
  isSettled,
  readClassifierQueue,
  readDiskUse,
  readStatus,
  rootHashes,
  storedDifferences,
} from '../src/index.ts'
import { deletePages } from '../src/retention/delete-pages.ts'
import { findCut } from '../src/retention/find-cut.ts'
import { firstRetained } from '../src/retention/first-retained.ts'
import { wholeTablesOf } from './plans-of.ts'
import { statementsOf } from './statements-of.ts'

// Plans that PostgreSQL would choose at four billion transactions.

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await classifiedChain()
})
afterAll(() => scratch?.close())

/** On the tables as they are. */
async function work(): Promise<void> {
  const { db, pool } = scratch
  await pool.query('truncate event_queue; insert into event_queue select generate_series(100, 400, 20)')
  await deriveTokenEvents({ db, pool }, { limit: 16 })
  await storedDifferences(db, 100, [])
  await daysOf(db, { from: 100, to: 110 })
  await firstSeqnoFrom(db, 1_700_000_000)
  await rootHashes(db, [1, 400])
  await firstRetained(db, { seconds: 60 })
  await isSettled(pool, { dependsOn: 'actions' }, 100)
  const retained = await pool.connect()
  await findCut(retained, 400)
  retained.release()
  await fillHashFilters(pool, { signal: new AbortController().signal })
  await readStatus(db)
  await readDiskUse(db, undefined)
  await readClassifierQueue(pool)
  await classifyWaiting(pool, { limit: 20, waitForFacts: false })
  await enqueueForClassifier(pool, { from: 1, to: 400 })
  await pool.query('insert into mintless_jettons (jetton_id, import_no, attempts) values (1, 2, 1)')
  await finishAirdrop(pool, { jettonId: 1n, importNo: 2, attempts: 1, root: null })
  const batches = await recordedBatches({ to: 12 })
  await new BatchSink(pool).repairRange({ from: 10, to: 12 }, batches.slice(9))
  // Of most of the chain: such rows are then expected anywhere in the tables.
  await deletePages(pool, 500, async () => true)
}

test('no statement reads a whole table of the chain, or a whole index', async ({ skip }) => {
  const { pool } = scratch
  const asked = await statementsOf(pool, work)
  const client = await pool.connect()
  try {
    await client.query('begin')
    const found = await wholeTablesOf({ pool, client }, asked)
    if (!found) skip('PostgreSQL 18 with its files on this machine is needed')
    expect(found).toEqual([])
  } finally {
    await client.query('rollback')
    client.release()
  }
})
