import {
  countWallets,
  findBlockOfTime,
  findJettonOrigin,
  findJettonWallet,
  findPastBlock,
  listBalanceChanges,
  listHoldersByBalance,
  listHoldersByWallet,
  listPeriodBalances,
  readJettonsAt,
  readTonAt,
  totalHolders,
} from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const balances: Calls = async (db, { pool }) => {
  const { rows } = await pool.query(
    'select account_id, max(mc_block_seqno) as seqno from transactions group by 1 limit 1',
  )
  const [{ account_id: accountId, seqno }] = rows
  const at = (await findPastBlock(db, seqno))!
  await findBlockOfTime(db, at.utime)
  for (const asset of ['ton', 'jettons'] as const)
    for (const sort of ['asc', 'desc'] as const) {
      const page = { sort, limit: 2, offset: 0, time: { from: 1, to: at.utime } }
      const range = { from: at.from_seqno, to: at.to_seqno }
      await listBalanceChanges(db, { accountId, asset }, page)
      await listBalanceChanges(db, { accountId, asset }, { ...page, time: {} })
      await listPeriodBalances(
        db,
        { accountId, asset },
        { ...page, period: 'hour', range, time: { from: at.utime - 9000, to: at.utime } },
      )
    }
  await readTonAt(db, [accountId], at)
  await readJettonsAt(db, { ownerIds: [1n], jettonIds: [2n] }, at)
  const filter = { jettonId: 1n, at, minBalance: 1n }
  await listHoldersByBalance(db, filter, { limit: 2, offset: 0 })
  await listHoldersByWallet(db, filter, { limit: 2, offset: 0 })
  await totalHolders(db, filter)
  await countWallets(db, 1n, 10)
  await findJettonOrigin(db, 1n, at)
  await findJettonWallet(db, { ownerId: 1n, jettonId: 2n })
}
