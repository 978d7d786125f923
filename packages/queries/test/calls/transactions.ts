import { sql } from 'kysely'
import {
  adjacentTransactions,
  blocksOfShardState,
  listTransactions,
  listTransactionsByMessage,
  listTransactionsOfBlocks,
  loadTransactionParts,
  type Sort,
  transactionsByHash,
} from '../../src/index.ts'
import { receivedFrom } from '../../src/transactions/newest-messages.ts'
import type { Calls } from './calls.ts'

const WHOLE_WORKCHAIN = -(2n ** 63n)

export const transactions: Calls = async (db, { pool }) => {
  const busiest = await pool.query(
    'select account_id as id from transactions group by 1 order by count(*) desc limit 2',
  )
  const accounts = busiest.rows.map((row) => row.id as bigint)
  const common = await pool.query(`
    select opcode from messages where opcode is not null group by 1 order by count(*) desc limit 1`)
  const message = await pool.query('select hash, body_hash8 from messages where kind = 0 limit 1')
  const bodyHash = Buffer.alloc(32)
  bodyHash.writeBigInt64BE(message.rows[0].body_hash8)
  const newest = await pool.query('select max(seqno) as seqno from blocks where workchain = -1')
  const mcBlockSeqno: number = newest.rows[0].seqno
  const early = await pool.query(
    'select min(lt) as from, percentile_disc(0.02) within group (order by lt) as to from transactions',
  )
  const { from, to } = early.rows[0]
  await receivedFrom(db, { lt: { from, to }, sent: to, after: sql`true` }, [sql`m.kind <> 1`])
  for (const sort of ['asc', 'desc'] satisfies Sort[]) {
    const page = { sort, limit: 5, offset: 0 }
    const { rows, next } = await listTransactions(db, {}, page)
    await listTransactions(db, {}, { ...page, cursor: next })
    await loadTransactionParts(db, rows)
    await transactionsByHash(db, [rows[0]!.hash])
    for (const side of [undefined, 'in', 'out'] as const) {
      await adjacentTransactions(db, rows[0]!.hash, side)
      await listTransactionsByMessage(db, { message: { opcode: common.rows[0].opcode }, side }, page)
      await listTransactionsByMessage(db, { message: { hashes: [message.rows[0].hash] }, side }, page)
      await listTransactionsByMessage(db, { message: {}, side }, page)
      await listTransactionsByMessage(db, { message: { bodyHash }, side }, page)
      const among = { accounts, time: { from: 1 } }
      await listTransactionsByMessage(db, { message: { bodyHash }, side, among }, page)
      await listTransactionsByMessage(db, { message: {}, side, among: { time: { from: 1 } } }, page)
      for (const message of [{ bodyHash }, { opcode: common.rows[0].opcode }])
        for (const more of [{}, { time: { from: 1 } }, { excludedAccounts: [1n] }])
          await listTransactionsByMessage(
            db,
            { message, side, among: { accounts: accounts.slice(0, 1), ...more }, firstLook: 1 },
            page,
          )
    }
    await listTransactions(db, { time: { from: 1 } }, page)
    await listTransactions(db, { time: { from: 1 }, hashes: [rows[0]!.hash] }, page)
    await listTransactions(db, { accounts }, page)
    await listTransactions(db, { accounts: accounts.slice(1), excludedAccounts: accounts.slice(0, 1) }, page)
    await listTransactions(db, { workchain: -1 }, page)
    await listTransactions(db, { workchain: 5 }, page)
    await listTransactions(db, { shard: -(2n ** 62n) }, page)
    await listTransactions(db, { workchain: 0, shard: WHOLE_WORKCHAIN, mcBlockSeqno }, page)
    await listTransactionsOfBlocks(db, await blocksOfShardState(db, mcBlockSeqno), page)
  }
}
