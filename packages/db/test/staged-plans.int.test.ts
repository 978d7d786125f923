import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enqueueRefresh } from '../src/contracts/enqueue.ts'
import { KEEP_STATE_PARTS } from '../src/contracts/state-parts.ts'
import { inTransaction, STAGE } from '../src/writing/transaction.ts'

// Plans of statements that compare what a batch brings with large tables.

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
