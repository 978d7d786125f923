import type { Db } from '@shardwalk/db'
import { MASTERCHAIN } from '@shardwalk/model'
import { WHOLE_WORKCHAIN } from '../blocks/index.ts'

/** Blocks that are looked at: ten for each of thirty seconds. */
const MOST = 300

/**
 * The newest masterchain block that is at least so many seconds older than another one; at most 300 blocks
 * before it. Index: blocks (primary key).
 */
export async function blockBefore(
  db: Db,
  { seqno, seconds }: { readonly seqno: number; readonly seconds: number },
): Promise<number> {
  const row = await db
    .selectFrom('blocks as b')
    .innerJoin('blocks as head', (join) =>
      join
        .on('head.workchain', '=', MASTERCHAIN)
        .on('head.shard', '=', WHOLE_WORKCHAIN)
        .on('head.seqno', '=', seqno),
    )
    .select('b.seqno')
    .where('b.workchain', '=', MASTERCHAIN)
    .where('b.shard', '=', WHOLE_WORKCHAIN)
    .where('b.seqno', '>=', seqno - MOST)
    .where('b.seqno', '<', seqno)
    .where(({ eb }) => eb('b.gen_utime', '<=', eb('head.gen_utime', '-', seconds)))
    .orderBy('b.seqno', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seqno ?? seqno - MOST
}
