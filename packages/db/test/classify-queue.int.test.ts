import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findTraceRows } from '../src/actions/trace-rows.ts'
import { loadTransactions } from '../src/actions/transaction-rows.ts'
import { readIds } from '../src/facts/addresses.ts'
import {
  BatchSink,
  classifyWaiting,
  type Examined,
  QueueClassifier,
  queueTracesOfChangedFacts,
  readClassifierQueue,
  SchemaTooNew,
  writeContracts,
} from '../src/index.ts'
import { deletePages } from '../src/retention/delete-pages.ts'
import { forgetTraces, gatherMembers } from '../src/watch/forget.ts'
import { LOCK_KEYS } from '../src/writing/locks.ts'
import { inTransaction } from '../src/writing/transaction.ts'

// When a trace is classified, and when it is classified again.

const LAST = 40
let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  await sink.commitBatches(await recordedBatches({ to: LAST }))
})
afterAll(() => scratch.close())

beforeEach(async () => {
  await scratch.pool.query(
    'truncate actions, action_accounts, unclassified_traces, refresh_queue, asked_facts, changed_facts',
  )
})

const query = async (text: string, values: readonly unknown[] = []) =>
  (await scratch.pool.query(text, [...values])).rows

/** A small trace of the recorded chain in which a wallet received jettons. */
async function jettonTrace() {
  const [row] = await query(
    `select r.trace_id, t.account_id as wallet, t.lt, s.account_id as jetton, r.end_lt, r.nodes, w.workchain,
      w.address
     from transactions t join messages m on m.account_id = t.in_msg_account_id and m.lt = t.in_msg_lt
     join transactions s on s.account_id = m.account_id and s.lt < m.lt and s.lt + s.out_msg_count >= m.lt
     join traces r on r.piece = root_of_piece(t.piece) join accounts w on w.id = t.account_id
     where m.opcode = $1 and r.state = 0 order by r.nodes, t.lt limit 1`,
    [0x178d4519],
  )
  return row!
}
type JettonTrace = Awaited<ReturnType<typeof jettonTrace>>

const enqueue = ({ trace_id, end_lt }: JettonTrace) =>
  query('insert into unclassified_traces (trace_id, end_lt) values ($1, $2)', [trace_id, end_lt])
const typesOf = async ({ trace_id }: JettonTrace) =>
  (await query('select type from actions where trace_id = $1', [trace_id])).map(({ type }) => type).join()

/** The result of examining the wallet. */
async function examined(one: JettonTrace, lt: bigint, isWallet = true): Promise<Examined> {
  const [master] = await query('select workchain, address as hash from accounts where id = $1', [one.jetton])
  const wallet = {
    kind: 'jetton_wallet',
    balance: 1n,
    owner: { workchain: 0, hash: Buffer.alloc(32, 7) },
    jetton: master,
    isClaimed: undefined,
  }
  return {
    accountId: one.wallet,
    address: { workchain: one.workchain, hash: one.address },
    queuedLt: lt,
    lt,
    codeHash: Buffer.alloc(32, 1),
    dataHash: null,
    found: isWallet ? [wallet as never] : [],
    asked: [],
    requeues: [],
  } as unknown as Examined
}

test('the transactions of many traces, whole ones, are found without a call of a function for each', () =>
  inTransaction(scratch.pool, async (client) => {
    const { rows } = await client.query<{ trace_id: Buffer }>('select trace_id from traces where state = 0')
    const traces = await findTraceRows(
      client,
      rows.map((row) => row.trace_id),
    )
    await client.query("set local track_functions = 'all'")
    const found = await loadTransactions(client, traces)
    const pieces = await client.query<{ calls: bigint | null }>(
      "select pg_stat_get_xact_function_calls('pieces_of_trace(int8)'::regprocedure) as calls",
    )
    expect(pieces.rows).toEqual([{ calls: null }])
    const nodes = new Map(traces.map((row) => [row.trace_id.toString('hex'), row.nodes]))
    for (const row of found) {
      const id = row.trace_id.toString('hex')
      nodes.set(id, nodes.get(id)! - 1)
    }
    expect(nodes.size).toBeGreaterThan(50)
    expect([...nodes.values()].every((left) => left === 0)).toBe(true)
  }))

test('a trace waits for its contracts, but only for the state that it left behind', async () => {
  const one = await jettonTrace()
  await enqueue(one)
  await query('insert into refresh_queue (account_id, lt) values ($1, $2)', [one.wallet, one.lt])
  expect((await classifyWaiting(scratch.pool)).traces).toBe(0)
  expect(await readClassifierQueue(scratch.pool)).toMatchObject({ waiting: 1, waitingForContracts: 1 })
  // A newer state was queued before the older one was written, as is usual for busy contracts.
  await query('update refresh_queue set lt = lt + 1000000')
  await writeContracts(scratch.pool, [await examined(one, one.lt)])
  expect(await query('select account_id from refresh_queue')).toHaveLength(1)
  expect((await classifyWaiting(scratch.pool)).traces).toBeGreaterThanOrEqual(1)
  expect(await typesOf(one)).toMatch(/jetton_/)
})

test('a contract that cannot be examined delays its traces briefly; they are redone later', async () => {
  const one = await jettonTrace()
  await enqueue(one)
  await query('insert into refresh_queue (account_id, lt, attempts) values ($1, $2, 3)', [one.wallet, one.lt])
  await query('delete from contracts where account_id = $1', [one.wallet])
  await query('delete from jetton_wallets where account_id = $1', [one.wallet])
  expect((await classifyWaiting(scratch.pool)).traces).toBe(1)
  expect(await typesOf(one)).toMatch(/^(call_contract|contract_deploy|ton_transfer|,)+$/)
  await writeContracts(scratch.pool, [await examined(one, one.lt)])
  expect((await classifyWaiting(scratch.pool)).traces).toBeGreaterThanOrEqual(1)
  expect(await typesOf(one)).toMatch(/jetton_/)
})

test('traces are classified after the time limit when contracts are not examined', async () => {
  const one = await jettonTrace()
  await enqueue(one)
  await query('delete from contracts where account_id = $1', [one.wallet])
  await query('insert into refresh_queue (account_id, lt) values ($1, $2)', [one.wallet, one.lt])
  const classifier = new QueueClassifier(scratch.pool, { patienceSeconds: 60 })
  expect((await classifier.round()).traces).toBe(0)
  await query("update unclassified_traces set queued_at = now() - interval '61 seconds'")
  expect((await classifier.round()).traces).toBe(1)
})

test('traces wait if a newer version has migrated the tables, whatever their statements did', async () => {
  const one = await jettonTrace()
  await enqueue(one)
  await query("insert into schema_migrations (name, timestamp) values ('29991231_future', 'now')")
  await query('alter table actions rename column type to kind')
  try {
    await expect(classifyWaiting(scratch.pool)).rejects.toThrow(SchemaTooNew)
  } finally {
    await query('alter table actions rename column kind to type')
    await query("delete from schema_migrations where name = '29991231_future'")
  }
  expect((await classifyWaiting(scratch.pool)).traces).toBe(1)
})

test('a contract that is unchanged after another examination changes nothing', async () => {
  const one = await jettonTrace()
  await writeContracts(scratch.pool, [await examined(one, one.lt)])
  while (await queueTracesOfChangedFacts(scratch.pool));
  await query('truncate unclassified_traces')
  await writeContracts(scratch.pool, [await examined(one, one.lt + 1n)])
  expect(await query('select * from changed_facts')).toEqual([])
  await writeContracts(scratch.pool, [await examined(one, one.lt + 2n, false)])
  expect(await query('select account_id from changed_facts')).toEqual([{ account_id: one.wallet }])
})

test('a trace that only refers to a contract is classified again with it', async () => {
  const one = await jettonTrace()
  const [other] = await query(
    'select trace_id from traces where state = 0 and edges > 0 and trace_id <> $1 limit 1',
    [one.trace_id],
  )
  await query('insert into asked_facts (account_id, trace_id) values ($1, $2)', [one.wallet, other!.trace_id])
  await query('insert into changed_facts (account_id) values ($1)', [one.wallet])
  expect(await queueTracesOfChangedFacts(scratch.pool)).toBe(true)
  expect(await queueTracesOfChangedFacts(scratch.pool)).toBe(false)
  const queued = await query('select trace_id from unclassified_traces')
  expect(queued).toContainEqual({ trace_id: other!.trace_id })
  expect(queued).toContainEqual({ trace_id: one.trace_id })
})

test('many waiting traces do not hide an older one that is ready', async () => {
  const one = await jettonTrace()
  await enqueue(one)
  await query(
    `insert into unclassified_traces (trace_id, end_lt) select trace_id, end_lt + 1000000000 from traces
      where state = 0 and trace_id <> $1`,
    [one.trace_id],
  )
  await query(
    `insert into refresh_queue (account_id, lt) select distinct account_id, 9e18::bigint from transactions
      where trace_id_of(piece) <> $1`,
    [one.trace_id],
  )
  await query(
    `delete from refresh_queue
      where account_id in (select account_id from transactions where trace_id_of(piece) = $1)`,
    [one.trace_id],
  )
  const classifier = new QueueClassifier(scratch.pool, { limit: 1 })
  expect((await classifier.round()).traces).toBe(1)
})

const GIANT = 20_000
const PIECE = 2n ** 62n

test('the first and the last possible account ids are ordinary ones', async () => {
  await query('insert into changed_facts (account_id) values ($1), ($2)', [-(2n ** 63n), 2n ** 63n - 1n])
  expect(await queueTracesOfChangedFacts(scratch.pool)).toBe(true)
  const client = await scratch.pool.connect()
  const lowest = `-1:${'0'.repeat(64)}`
  const highest = `0:${'F'.repeat(64)}`
  const found = await readIds(client, [lowest, highest])
  client.release()
  expect(found.get(lowest) ?? -(2n ** 63n)).toBe(-(2n ** 63n))
  expect(found.get(highest) ?? 2n ** 63n - 1n).toBe(2n ** 63n - 1n)
})

test(`a trace of ${GIANT} transactions is cheap and gets one action; the state says so`, async () => {
  const id = Buffer.alloc(32, 0xfe)
  await query(
    `insert into transactions (account_id, lt, in_msg_account_id, in_msg_lt, now, mc_block_seqno, block_seqno,
      kind, orig_status, end_status, shard_len, out_msg_count,
       prev_trans_lt, total_fees, aborted, hash, piece, prev_trans_hash, state_hash_before,
         state_hash_after, description)
     select t.account_id, 900000000000 + i * 2, t.account_id, 900000000000 + i * 2 - 1, now, mc_block_seqno,
       block_seqno, kind, orig_status, end_status, shard_len, 1,
       prev_trans_lt, total_fees, false, sha256(i::text::bytea), ${PIECE}, prev_trans_hash, state_hash_before,
         state_hash_after, description
     from (select * from transactions where kind = 0 limit 1) t, generate_series(1, ${GIANT}) i`,
  )
  await query(
    `insert into traces (piece, trace_id, mc_seqno_start, mc_seqno_end, start_lt, end_lt, start_utime,
      end_utime, nodes, edges, pending_edges, state)
     values (${PIECE}, $1, 1, 2, 900000000002, 900000000000 + ${GIANT} * 2, 1, 2, ${GIANT}, ${GIANT}, 0, 0)`,
    [id],
  )
  await query('insert into unclassified_traces (trace_id, end_lt) values ($1, 1)', [id])
  const before = process.memoryUsage().heapUsed
  const started = performance.now()
  expect(await classifyWaiting(scratch.pool)).toEqual({ traces: 1, actions: 1, failed: 1 })
  const mb = (process.memoryUsage().heapUsed - before) / 1e6
  console.log(`${(performance.now() - started).toFixed(0)} ms, ${mb.toFixed(0)} MB more on the heap`)
  expect(mb).toBeLessThan(150)
  expect(
    await query(
      'select type, length(tx_hashes_of(trace_id, tx_hashes)) / 32 as n from actions where trace_id = $1',
      [id],
    ),
  ).toEqual([{ type: 'unknown', n: 10_000 }])
  expect(await query('select matcher, error from classification_failures')).toEqual([
    { matcher: 'size', error: `a trace of ${GIANT} transactions is not read` },
  ])
})

test('traces of an account with many transactions are queued in steps without delaying others', async () => {
  const [busy] = await query('select account_id from transactions group by 1 having count(*) > 15000')
  const one = await jettonTrace()
  await query('insert into changed_facts (account_id) values ($1)', [busy!.account_id])
  expect(await queueTracesOfChangedFacts(scratch.pool)).toBe(true)
  expect(await query('select below_lt is null as fresh from changed_facts')).toEqual([{ fresh: false }])
  await query('insert into changed_facts (account_id) values ($1)', [one.wallet])
  expect(await queueTracesOfChangedFacts(scratch.pool)).toBe(true)
  expect(await query('select account_id from changed_facts')).toEqual([{ account_id: busy!.account_id }])
  let steps = 2
  while (await queueTracesOfChangedFacts(scratch.pool)) steps++
  expect(steps).toBeGreaterThan(4)
  const queued = await query('select trace_id from unclassified_traces')
  expect(queued).toContainEqual({ trace_id: Buffer.alloc(32, 0xfe) })
  expect(queued).toContainEqual({ trace_id: one.trace_id })
})

describe('a trace that is being deleted', () => {
  /** Whether somebody waits until traces may be queued again. */
  const isHeldUp = async () =>
    (
      await query(
        `select from pg_locks where locktype = 'advisory' and not granted and classid = $1
           and database = (select oid from pg_database where datname = current_database())`,
        [LOCK_KEYS.reclassify],
      )
    ).length > 0

  /** A contract of the trace changes between the statements of the deletion. */
  async function changedMeanwhile(one: JettonTrace, goOn: () => Promise<unknown>): Promise<void> {
    await query('insert into changed_facts (account_id) values ($1)', [one.wallet])
    let isDone = false
    const queued = queueTracesOfChangedFacts(scratch.pool).finally(() => {
      isDone = true
    })
    await expect.poll(async () => isDone || (await isHeldUp())).toBe(true)
    await goOn()
    await queued
    expect(await query('select from traces where trace_id = $1', [one.trace_id])).toEqual([])
    expect(await query('select from unclassified_traces where trace_id = $1', [one.trace_id])).toEqual([])
  }

  async function inOpenTransaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await scratch.pool.connect()
    try {
      await client.query('begin')
      await work(client)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

  test('because nothing of it is watched is not queued any more', () =>
    inOpenTransaction(async (client) => {
      const one = await jettonTrace()
      const [row] = await query('select piece from traces where trace_id = $1', [one.trace_id])
      await gatherMembers(client, [row!.piece])
      await forgetTraces(client, [row!.piece])
      await changedMeanwhile(one, () => client.query('commit'))
    }))

  test('because it is not retained is not queued any more', () =>
    inOpenTransaction(async (blocker) => {
      const one = await jettonTrace()
      await query('insert into asked_facts (account_id, trace_id) values (1, $1)', [one.trace_id])
      await blocker.query('select from asked_facts for update')
      const deleted = deletePages(scratch.pool, LAST, async () => false)
      await expect
        .poll(() =>
          query(
            `select from pg_stat_activity
             where wait_event = 'transactionid' and datname = current_database()`,
          ),
        )
        .toHaveLength(1)
      await changedMeanwhile(one, async () => {
        await blocker.query('rollback')
        await deleted
      })
    }))
})
