export { type BlockRow, WHOLE_WORKCHAIN } from './block-rows.ts'
export { MasterchainBlockNotIndexed } from './errors.ts'
export {
  blocksOfShardState,
  findBlockExtent,
  findBlocksOfSeqno,
  findIndexedEnds,
  findWorkchains,
  type IndexedEnds,
  requireBatchExtent,
} from './find-blocks.ts'
export { type BlockFilter, listBlocks } from './list-blocks.ts'
export { ltRangeOfTime, narrowByTime } from './time-bounds.ts'
