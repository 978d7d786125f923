import { PLAIN_WALLET_CODE_HASHES } from '@shardwalk/contracts'
import { fixtureChain, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enqueueRefresh } from '../src/contracts/enqueue.ts'
import { KEEP_HIDDEN_CURRENCIES } from '../src/contracts/hidden-currencies.ts'
import { DROP_SUPERSEDED_BY_BATCH, KEEP_STATE_PARTS } from '../src/contracts/state-parts.ts'
import { encodeBatch } from '../src/rows/encode-batch.ts'
import { BatchSink } from '../src/sink/batch-sink.ts'
import { enqueueBlockEvents } from '../src/webhooks/enqueue.ts'
import { runScript } from '../src/writing/copy.ts'
import { inTransaction, STAGE } from '../src/writing/transaction.ts'

// Plans of statements that compare what a batch brings with large tables, and plans that connections keep.

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  await scratch.pool.query(
    `insert into latest_account_states (${COLUMNS.join(', ')}, last_trans_hash)
     select s.*, sha256('transaction') from (${states(100_000, 10)}) s;
     insert into account_data (account_id, lt, data_hash, boc)
     select account_id, 10, state_hash, 'x' from latest_account_states;
     insert into codes (code_hash, boc) values (sha256('code'), 'x');
     analyze latest_account_states, account_data, codes`,
  )
})
afterAll(() => scratch?.close())

const COLUMNS = ['account_id', 'lt', 'balance', 'mc_seqno', 'timestamp', 'status', 'state_hash', 'code_hash']
const states = (count: number, lt: number) =>
  `select i * 50, ${lt}, 1, 1, 1, 2, sha256(int8send(i)), sha256('code') from generate_series(1, ${count}) i`

const stage = (client: pg.ClientBase, count: number) =>
  client.query(
    `insert into ${STAGE} (${COLUMNS.map((column) => `latest_account_states_${column}`).join(', ')})
     ${states(count, 10)}`,
  )

/** How often all states are read by it. */
async function scansBy(client: pg.ClientBase, work: () => Promise<unknown>): Promise<bigint> {
  const count = async (): Promise<bigint> => {
    const { rows } = await client.query(
      "select pg_stat_get_xact_numscans('latest_account_states'::regclass) as scans",
    )
    return rows[0].scans
  }
  // Those of earlier transactions are counted until the server has collected them.
  const before = await count()
  await work()
  return (await count()) - before
}

test.each([100, 2_000])('%i states of a batch are looked up, however many others there are', (count) =>
  inTransaction(scratch.pool, async (client) => {
    await stage(client, count)
    expect(await scansBy(client, () => enqueueRefresh(client, [1]))).toBe(0n)
    expect((await client.query('delete from refresh_queue')).rowCount).toBe(count)
  }),
)

test('the few parts of states in a large batch are compared with the states of their accounts', () =>
  inTransaction(scratch.pool, async (client) => {
    await stage(client, 10_000)
    await client.query(
      `insert into ${STAGE} (state_parts_account_id, state_parts_lt, state_parts_mc_seqno, state_parts_boc)
       values (50, 9, 1, 'x')`,
    )
    expect(await scansBy(client, () => client.query(KEEP_STATE_PARTS))).toBe(0n)
    expect((await client.query('select from state_parts')).rowCount).toBe(0)
  }))

/** Runs the test in a database of its own. */
async function inSmallDatabase(work: (small: ScratchDatabase) => Promise<void>): Promise<void> {
  const small = await scratchDatabase()
  try {
    await work(small)
  } finally {
    await small.close()
  }
}

test('a plan that was kept while tables were small looks states up when they are large', () =>
  inSmallDatabase(async ({ pool }) => {
    const add = (count: number) =>
      pool.query(
        `insert into latest_account_states (${COLUMNS.join(', ')}, last_trans_hash)
         select s.*, sha256('transaction') from (${states(count, 10)}) s on conflict do nothing`,
      )
    await add(2)
    await pool.query(`alter table latest_account_states set (autovacuum_enabled = off);
      analyze latest_account_states, account_data, codes, contracts, contract_data, refresh_queue`)
    const scans = () =>
      inTransaction(
        pool,
        async (client) => {
          await stage(client, 100)
          return await scansBy(client, async () => {
            await runScript(client, [KEEP_STATE_PARTS])
            await enqueueRefresh(client, [1])
          })
        },
        { keepsPlans: true },
      )
    for (let commit = 0; commit < 7; commit++) await scans()
    await add(10_000)
    expect(await scans()).toBe(0n)
  }))

const COMPARED = [
  ...['latest_account_states', 'account_data', 'contracts', 'contract_data', 'refresh_queue'],
  ...['missing_states', 'state_parts'],
]

/** Rows that are read of the tables that staged states are compared with, and entries of their indexes. */
async function readBy(client: pg.ClientBase, work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    const { rows } = await client.query(
      `select sum(pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)) as read
       from pg_class c left join pg_index i on i.indexrelid = c.oid
       where coalesce(i.indrelid, c.oid) = any ($1::regclass[])`,
      [COMPARED],
    )
    return Number(rows[0].read)
  }
  const before = await count()
  await work()
  return (await count()) - before
}

test.each([2, 100])('a plan that was kept while tables had %i rows reads none that has become large', (few) =>
  inSmallDatabase(async ({ pool }) => {
    const add = (count: number) =>
      pool.query(`
        insert into latest_account_states (${COLUMNS.join(', ')}, last_trans_hash)
        select s.*, sha256('transaction') from (${states(count, 10)}) s on conflict do nothing;
        insert into account_data select account_id, 10, state_hash, 'x' from latest_account_states
        on conflict do nothing;
        insert into refresh_queue select account_id, 10 from latest_account_states on conflict do nothing;
        -- Of accounts that are not in the batch.
        insert into contracts (account_id, lt, roles) select account_id + 1, 10, 0 from latest_account_states
        on conflict do nothing;
        insert into contract_data select account_id + 1, 10, state_hash, 'x' from latest_account_states
        on conflict do nothing;
        insert into missing_states (account_id, lt, what) select account_id + 1, 10, 'x'
        from latest_account_states on conflict do nothing;
        insert into state_parts select account_id + 1, 10, 1, 'x' from latest_account_states
        on conflict do nothing`)
    await pool.query(
      COMPARED.map((table) => `alter table ${table} set (autovacuum_enabled = off)`).join('; '),
    )
    await add(few)
    await pool.query(`analyze ${COMPARED.join(', ')}`)
    const read = () =>
      inTransaction(
        pool,
        async (client) => {
          await stage(client, 100)
          // Only for plain wallets with stored data every table is asked.
          await client.query(
            `update ${STAGE} set latest_account_states_code_hash = $1,
               latest_account_states_data_hash = latest_account_states_state_hash`,
            [PLAIN_WALLET_CODE_HASHES[0]],
          )
          await client.query(
            `insert into ${STAGE} (state_parts_account_id, state_parts_lt, state_parts_mc_seqno,
               state_parts_boc) select i * 50, 10, 1, 'x' from generate_series(1, 100) i`,
          )
          await client.query(
            `insert into ${STAGE} (account_data_account_id, account_data_lt) select i * 50, 10
             from generate_series(1, 100) i`,
          )
          await client.query(
            `insert into ${STAGE} (hidden_currencies_account_id, hidden_currencies_lt,
               hidden_currencies_mc_seqno, hidden_currencies_hash) values (50, 10, 1, 'x')`,
          )
          return await readBy(client, async () => {
            await runScript(client, [KEEP_HIDDEN_CURRENCIES, KEEP_STATE_PARTS, DROP_SUPERSEDED_BY_BATCH])
            await enqueueRefresh(client, [1])
          })
        },
        { keepsPlans: true },
      )
    for (let commit = 0; commit < 7; commit++) await read()
    await add(10_000)
    expect(await read()).toBeLessThan(5_000)
  }),
)

test('events of a block are queued by a plan for its range of lt, not for any', () =>
  inSmallDatabase(async ({ pool }) => {
    for (let from = 0; from < 10; from++)
      await pool.query(`select create_lt_partition('transactions', ${from * 100}, ${from * 100 + 100})`)
    const block = { seqnos: [1], from: 110n, to: 120n, isRepair: false }
    const opened = await inTransaction(
      pool,
      async (client) => {
        await enqueueBlockEvents(client, block as never)
        return client.query(
          `select relation::regclass::text as name from pg_locks join pg_inherits on inhrelid = relation
           where inhparent = 'transactions'::regclass and pid = pg_backend_pid() order by 1`,
        )
      },
      { keepsPlans: true },
    )
    expect(opened.rows).toEqual([{ name: 'transactions_lt_100' }])
  }))

test('each connection plans the statements of commits once', () =>
  inSmallDatabase(async ({ pool }) => {
    const sink = new BatchSink(pool)
    for await (const { batch, globalVersion } of fixtureChain({ to: 40 }))
      await sink.commitBatches([encodeBatch(batch, { globalVersion })])
    const { rows } = await pool.query<{ statement: string; kept: bigint; again: bigint }>(
      'select statement, generic_plans as kept, custom_plans as again from pg_prepared_statements',
    )
    for (const part of ['pg_advisory_xact_lock_shared', 'delete from traces'])
      expect(rows.filter(({ statement }) => statement.includes(part))).toHaveLength(1)
    expect(rows.filter(({ again }) => again > 0n)).toEqual([])
    expect(rows.filter(({ kept }) => kept > 30n).length).toBeGreaterThan(12)
    expect(rows.length).toBeLessThan(30)
  }))

test('a script that failed after it had prepared a statement can be run again', () =>
  inSmallDatabase(async ({ pool }) => {
    const statement = "insert into codes (code_hash, boc) values (sha256('code'), 'x')"
    const commit = (steps: readonly string[]) =>
      inTransaction(pool, (client) => runScript(client, steps), { keepsPlans: true })
    await expect(commit([statement, 'select 1 / 0'])).rejects.toThrow(/division by zero/)
    await commit([statement])
    await expect(commit([statement])).rejects.toThrow(/duplicate key/)
    expect((await pool.query('select from codes')).rowCount).toBe(1)
  }))
