import type { Db } from '@shardwalk/db'
import { MASTERCHAIN } from '@shardwalk/model'
import { WHOLE_WORKCHAIN } from '../blocks/index.ts'

/** gen_utime of an indexed masterchain block, Unix seconds. Index: primary key of blocks. */
export async function findBlockTime(db: Db, mcBlockSeqno: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('blocks')
    .select('gen_utime')
    .where('workchain', '=', MASTERCHAIN)
    .where('shard', '=', WHOLE_WORKCHAIN)
    .where('seqno', '=', mcBlockSeqno)
    .executeTakeFirst()
  return row?.gen_utime
}
