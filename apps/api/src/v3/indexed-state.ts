import type { AccountInformationQuery } from '@shardwalk/api-schema'
import { isHeadFollowed } from '@shardwalk/db'
import { type AccountStateRow, findAccountStates, findSyncState } from '@shardwalk/queries'
import type { IndexAccess } from '../http/route.ts'

/** Masterchain blocks by which the index may be behind the head and still be asked. */
const MAX_LAG = 10

/**
 * The newest state of an account, if the index is sure of it: it follows the head, no block is missing since
 * the account's last transaction, and code and data are known. `use_v2` asks for the answer of a lite server,
 * to which an account that ended is as one that never was.
 */
export async function indexedState(
  { db, accounts }: IndexAccess,
  { address, use_v2 }: AccountInformationQuery,
): Promise<AccountStateRow | undefined> {
  if (!address || use_v2) return undefined
  const id = await accounts.idOf(db, address)
  const sync = id === undefined ? undefined : await findSyncState(db)
  if (id === undefined || !sync?.range || sync.range.to < sync.headSeqno - MAX_LAG) return undefined
  if ((await isHeadFollowed(db)) === false) return undefined
  const [row] = await findAccountStates(db, { ids: [id], bocs: true, limit: 1 })
  return row && row.mc_seqno >= sync.range.from && isWhole(row) ? row : undefined
}

const isWhole = (row: AccountStateRow): boolean =>
  (row.code_hash === null || row.code !== null) && (row.data_hash === null || row.data !== null)
