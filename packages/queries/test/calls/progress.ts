import { findSyncState, readIndexedHead } from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const progress: Calls = async (db) => {
  await readIndexedHead(db)
  await findSyncState(db)
}
