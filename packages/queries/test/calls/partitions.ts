import { fillHashFilters } from '@shardwalk/db'
import { repartition } from '@shardwalk/testkit'
import {
  keepPlans,
  listMessages,
  listTransactions,
  listTransactionsByMessage,
  transactionsByHash,
} from '../../src/index.ts'
import type { Calls } from './calls.ts'

/** What is asked only where there are many, and of messages that are not received soon. */
export const partitions: Calls = async (_db, { pool }) => {
  await repartition(pool, 30)
  await fillHashFilters(pool, { signal: new AbortController().signal })
  // What was known of the partitions is forgotten.
  const db = keepPlans(pool)
  const page = { sort: 'desc', limit: 5, offset: 0 } as const
  const { rows } = await pool.query(`
    with received as (
      delete from transactions where (account_id, lt) = (
        select account_id, lt from transactions where in_msg_account_id is not null limit 1) returning *
    ) select m.hash, m.account_id, m.destination_id from received r
      join messages m on m.account_id = r.in_msg_account_id and m.lt = r.in_msg_lt`)
  await listTransactions(db, { accounts: [rows[0].account_id] }, page)
  await listTransactionsByMessage(db, { message: { hashes: [rows[0].hash] } }, page)
  await listMessages(db, { source: rows[0].account_id, destination: rows[0].destination_id }, page)
  const hashes = await pool.query('select hash from transactions order by lt limit 20')
  await transactionsByHash(
    db,
    hashes.rows.map(({ hash }) => hash),
  )
}
