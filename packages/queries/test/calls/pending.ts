import {
  awaitedMessages,
  invalidatedAmong,
  pendingAmong,
  pendingByHashes,
  pendingChanges,
  pendingOfAccounts,
  replacedBlocks,
} from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const pending: Calls = async (db) => {
  await pendingOfAccounts(db, [`0:${'A'.repeat(64)}`])
  await pendingByHashes(db, [Buffer.alloc(32)])
  await pendingChanges(db, 60)
  await pendingAmong(db, [Buffer.alloc(32)])
  await awaitedMessages(db)
  await invalidatedAmong(db, { accounts: [`0:${'A'.repeat(64)}`], hashes: [Buffer.alloc(32)] })
  await replacedBlocks(db, [{ workchain: 0, shard: 1n << 63n, seqno: 1, rootHash: Buffer.alloc(32) }])
}
