import type { Db } from '@shardwalk/db'
import { type ShardId, shardToSigned } from '@shardwalk/model'
import { sql } from 'kysely'
import { statement } from '../idiom/index.ts'

/** A shard block that may never be final. */
export interface UncertainBlock {
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
  readonly rootHash: Buffer
}

/** Raw: a list of keys. Index: primary key of blocks. */
const REPLACED = statement<{ readonly root_hash: Buffer }>('blocks in the place of which others are final', {
  root_hash: 'bytea',
})

/** Root hashes of those of the blocks in whose place the masterchain committed another one. */
export async function replacedBlocks(db: Db, blocks: readonly UncertainBlock[]): Promise<readonly Buffer[]> {
  if (blocks.length === 0) return []
  const rows = await REPLACED.rows(
    db,
    sql`
    select u.root_hash from unnest(${blocks.map((block) => block.workchain)}::int4[],
      ${blocks.map((block) => shardToSigned(block.shard))}::int8[],
      ${blocks.map((block) => block.seqno)}::int4[], ${blocks.map((block) => block.rootHash)}::bytea[]
    ) as u(workchain, shard, seqno, root_hash)
    join blocks b on (b.workchain, b.shard, b.seqno) = (u.workchain, u.shard, u.seqno)
    where b.root_hash <> u.root_hash`,
  )
  return rows.map((row) => row.root_hash)
}
