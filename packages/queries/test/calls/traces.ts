import {
  findChangeScope,
  jettonMoves,
  listTraces,
  placesOfMessages,
  placesOfTransactions,
  type Sort,
  tonChanges,
  transactionsOfTraces,
} from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const traces: Calls = async (db, { pool }) => {
  const found = await pool.query(`
    select t.account_id as account, t.hash, t.lt, r.trace_id from transactions t
    join traces r on r.piece = root_of_piece(t.piece) and r.end_utime - r.start_utime > 120 limit 1`)
  const { account, hash, lt } = found.rows[0]
  for (const sort of ['asc', 'desc'] satisfies Sort[]) {
    const page = { sort, limit: 2, offset: 0 }
    await listTraces(db, { account, lt: { from: lt, to: lt + 10n ** 9n } }, page)
    for (const time of [undefined, { from: 1 }, { to: 2_000_000_000 }]) {
      const { rows, next } = await listTraces(db, { time }, page)
      await listTraces(db, { time, account }, page)
      await listTraces(db, { time, traceIds: rows.map((row) => row.trace_id) }, { ...page, cursor: next })
      await transactionsOfTraces(db, rows)
    }
  }
  await placesOfTransactions(db, [hash])
  const message = await pool.query('select hash from messages where kind = 0 limit 1')
  await placesOfMessages(db, [message.rows[0].hash])
  await findChangeScope(db, { actionId: hash, traceId: hash })
  for (const tx_hashes of [null, [hash]]) {
    const scope = (await findChangeScope(db, { traceId: found.rows[0].trace_id }))!
    await tonChanges(db, { ...scope, tx_hashes })
    await jettonMoves(db, { ...scope, tx_hashes }, [0x0f8a7ea5])
  }
}
