import { actionsOfTraces, listActions, placesOfTransactions, type Sort } from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const actions: Calls = async (db, { pool }) => {
  const supported = new Set(['ton_transfer', 'call_contract'])
  const found = await pool.query(
    'select account_id as account, hash, trace_id_of(piece) as trace_id from transactions limit 1',
  )
  const { account, hash, trace_id } = found.rows[0]
  // More than the first rows of a page: the others are sought by type.
  await pool.query(
    `insert into actions (trace_id, action_id, type, success, start_lt, end_lt, start_utime, end_utime,
       trace_end_lt, trace_end_utime, trace_mc_seqno_end, tx_hashes, account_ids, details,
       classifier_version)
     select sha256(n::text::bytea), sha256(n::text::bytea), 'unknown', true, n, n, n, n, n, n, 1, '', '',
       '[]', 1
     from generate_series(1, 3) n on conflict do nothing`,
  )
  for (const sort of ['asc', 'desc'] satisfies Sort[]) {
    const page = { sort, limit: 2, offset: 0 }
    for (const time of [undefined, { from: 1 }]) {
      await listActions(db, { supported, time }, page)
      await listActions(db, { supported, time, types: ['dns_renew', 'dns_release'], few: 0 }, page)
      await listActions(db, { supported, time, account, withoutTypes: ['ton_transfer'] }, page)
    }
    await listActions(db, { supported, account, types: ['ton_transfer'] }, page)
    for (const traceIds of [undefined, [trace_id]])
      await listActions(db, { supported, account, traceIds, isInitiator: true }, page)
    await listActions(db, { supported, transactions: [await placesOfTransactions(db, [hash])] }, page)
  }
  await actionsOfTraces(db, [trace_id], supported)
}
