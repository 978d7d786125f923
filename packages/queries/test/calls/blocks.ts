import { ltRangeOfTime } from '../../src/blocks/index.ts'
import { findIndexedEnds, listBlocks } from '../../src/index.ts'
import type { Calls } from './calls.ts'

export const blocks: Calls = async (db) => {
  const page = { sort: 'desc', limit: 5, offset: 0 } as const
  const [newest] = (await listBlocks(db, {}, page)).rows
  await listBlocks(db, { lt: { from: 0n, to: newest!.start_lt } }, page)
  await listBlocks(db, { seqno: newest!.seqno }, page)
  await findIndexedEnds(db)
  await ltRangeOfTime(db, { from: newest!.gen_utime, to: newest!.gen_utime - 100 })
}
