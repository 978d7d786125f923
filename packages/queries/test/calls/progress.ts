import { findSyncState, readIndexedHead, readTableSizes, readWaitingWork } from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const progress: Calls = async (db) => {
  await readIndexedHead(db)
  await findSyncState(db)
  await readWaitingWork(db)
  await readTableSizes(db)
}
