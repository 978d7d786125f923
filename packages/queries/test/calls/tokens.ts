import { ALL_LT } from '../../src/idiom/index.ts'
import {
  listJettonBurns,
  listJettonMasters,
  listJettonTransfers,
  listJettonWallets,
  listNftItems,
  listNftTransfers,
} from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const tokens: Calls = async (db, { pool }) => {
  await pool.query(
    `insert into jetton_transfers (account_id, lt, now, aborted, source_id, query_id, amount, forward_amount,
       jetton_id, confirmed)
     select account_id, lt, now, false, 1, 0, 5, 0, 2, true from transactions limit 1`,
  )
  const page = { sort: 'desc', limit: 2, offset: 0 } as const
  const window = { lt: { from: 0n, to: 1n }, time: {} }
  await listJettonWallets(db, { ownerIds: [1n], isHolding: true }, page)
  // More than are returned without a look at their size.
  for (const list of [listJettonMasters, listNftItems]) await list(db, {}, { limit: 100, offset: 0 })
  await listJettonTransfers(db, { lt: ALL_LT, time: {} }, page)
  for (const list of [listJettonTransfers, listJettonBurns, listNftTransfers]) {
    await list(db, window, page)
    await list(db, { ...window, time: { from: 1 } }, page)
    await list(db, { ...window, ownerIds: [1n] }, page)
    await list(db, { ...window, ownerIds: [1n], time: { from: 1 } }, page)
  }
  await listJettonTransfers(db, { ...window, ownerIds: [1n, 2n], walletIds: [1n], jettonIds: [2n] }, page)
}
