import {
  allActionsOfTraces,
  blockBefore,
  changesOfBatch,
  changesSince,
  formerWalletsAmong,
  indexedRangeFrom,
  jettonWalletsAmong,
  lastOfAccountInBatch,
  ltBefore,
  ofAccountInBatch,
  readIndexedHead,
  tracesByIds,
  tracesEndedIn,
  tracesWithActionsSince,
  unclassifiedAmong,
  unclassifiedSince,
  unexaminedAmong,
  unexaminedSince,
  walletsOfOwnersSince,
} from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const streaming: Calls = async (db) => {
  const { range } = await readIndexedHead(db)
  await indexedRangeFrom(db, range!.from)
  await blockBefore(db, { seqno: range!.to, seconds: 30 })
  const changes = await changesOfBatch(db, range!.from + 1)
  const accounts = changes.map((row) => row.account_id)
  const lt = await ltBefore(db, range!.from)
  await changesSince(db, { accounts, lt, mcBlockSeqno: range!.from, to: range!.to, limit: 10 })
  const ofAccount = { accountId: accounts[0]!, mcBlockSeqno: range!.from + 1 }
  await ofAccountInBatch(db, ofAccount, { offset: 0, limit: 10 })
  await lastOfAccountInBatch(db, ofAccount)
  const ids = changes.flatMap((row) => row.trace_id)
  await tracesEndedIn(db, range!.from + 1)
  await tracesByIds(db, ids)
  await allActionsOfTraces(db, ids)
  await unclassifiedAmong(db, ids)
  await unclassifiedSince(db, { lt: 0n, limit: 10 })
  await tracesWithActionsSince(db, { accounts, lt: 0n, mcBlockSeqno: range!.from, limit: 10 })
  await jettonWalletsAmong(db, accounts)
  await formerWalletsAmong(db, { ids: accounts, seqnos: accounts.map(() => range!.from) })
  await walletsOfOwnersSince(db, { owners: accounts, lt: 0n, limit: 10 })
  await unexaminedAmong(db, { ids: accounts, lts: changes.map((row) => row.lt) })
  await unexaminedSince(db, { lt: 0n, limit: 10 })
}
