import {
  AccountCache,
  accountStateBytes,
  findAccountStates,
  listTopAccounts,
  loadListing,
} from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const accounts: Calls = async (db) => {
  const top = await listTopAccounts(db, { limit: 2, offset: 0 })
  await listTopAccounts(db, { limit: 2, offset: 1 })
  await listTopAccounts(db, { limit: 2, offset: 0, cursor: top.next })
  const ids = top.rows.map((row) => row.account_id)
  const [state] = await findAccountStates(db, { ids, bocs: true, limit: 2 })
  await accountStateBytes(db, { ids, bocs: true, limit: 2 })
  await findAccountStates(db, { codeHashes: [state!.state_hash], bocs: false, limit: 2 })
  const directory = await new AccountCache().load(db, ids, { states: true })
  await new AccountCache().idsOf(db, [directory.get(ids[0]!).address])
  await loadListing(db, { listed: ids, printed: [], metadata: false })
  await loadListing(db, { listed: ids, printed: [], metadata: true })
}
