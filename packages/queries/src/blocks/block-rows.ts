import type { BlockRow as StoredBlock } from '@shardwalk/db'
import { FULL_SHARD, shardToSigned } from '@shardwalk/model'
import { sql } from 'kysely'
import { Cursor, int4, int8 } from '../idiom/index.ts'

/** Column value of the shard that covers a whole workchain. */
export const WHOLE_WORKCHAIN = shardToSigned(FULL_SHARD)

/** Columns that replies show. */
export const BLOCK_COLUMN_NAMES = [
  'workchain',
  'shard',
  'seqno',
  'mc_block_seqno',
  'root_hash',
  'file_hash',
  'global_id',
  'version',
  'flags',
  'vert_seqno',
  'after_merge',
  'before_split',
  'after_split',
  'want_merge',
  'want_split',
  'key_block',
  'vert_seqno_incr',
  'gen_utime',
  'start_lt',
  'end_lt',
  'validator_list_hash_short',
  'gen_catchain_seqno',
  'min_ref_mc_seqno',
  'prev_key_block_seqno',
  'master_ref_seqno',
  'rand_seed',
  'created_by',
  'tx_count',
  'prev_seqno',
  'prev_seqno_2',
] as const satisfies readonly (keyof StoredBlock)[]

/** A block as it is stored; units and encodings as in `docs/schema.md`. */
export type BlockRow = Readonly<Pick<StoredBlock, (typeof BLOCK_COLUMN_NAMES)[number]>>

/** Columns of the table aliased `b`. */
export const BLOCK_COLUMNS = BLOCK_COLUMN_NAMES.map((name) => `b.${name}` as const)
/** The same as part of a raw statement. */
export const BLOCK_LIST = sql.raw(BLOCK_COLUMNS.join(', '))

/** Columns that order a list of blocks. */
export type BlockPosition = Pick<BlockRow, 'gen_utime' | 'workchain' | 'shard' | 'seqno'>

/** A place in a list of blocks. */
export const BLOCK_CURSOR = new Cursor<BlockPosition>('block', {
  gen_utime: int4,
  workchain: int4,
  shard: int8,
  seqno: int4,
})
