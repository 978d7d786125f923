import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enqueueRefresh } from '../src/contracts/enqueue.ts'
import { inTransaction, STAGE } from '../src/writing/transaction.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch?.close())

const COLUMNS = ['account_id', 'lt', 'balance', 'mc_seqno', 'timestamp', 'status', 'state_hash', 'code_hash']
const states = (count: number, lt: number) =>
  `select i * 50, ${lt}, 1, 1, 1, 2, sha256(int8send(i)), sha256('code') from generate_series(1, ${count}) i`

test.each([100, 2_000])(
  '%i states of a batch are looked up, however many others there are',
  async (count) => {
    const { pool } = scratch
    await pool.query(
      `delete from latest_account_states;
     insert into latest_account_states (${COLUMNS.join(', ')}, last_trans_hash)
     select s.*, sha256('transaction') from (${states(100_000, 10)}) s;
     analyze latest_account_states`,
    )
    await inTransaction(pool, async (client) => {
      const staged = COLUMNS.map((column) => `latest_account_states_${column}`)
      await client.query(`insert into ${STAGE} (${staged.join(', ')}) ${states(count, 10)}`)
      await enqueueRefresh(client, [1])
      const { rows } = await client.query(
        `select (select count(*) from refresh_queue) as queued,
         pg_stat_get_xact_numscans('latest_account_states'::regclass) as scans`,
      )
      expect(rows).toEqual([{ queued: BigInt(count), scans: 0n }])
      await client.query('delete from refresh_queue')
    })
  },
)
