export { BLOCK_COLUMNS, type BlockRow, WHOLE_WORKCHAIN } from './block-rows.ts'
export {
  blocksOfShardState,
  findBatchExtent,
  findBlockExtent,
  findIndexedEnds,
  type IndexedEnds,
} from './find-blocks.ts'
export { type BlockFilter, listBlocks } from './list-blocks.ts'
export { ltRangeOfTime } from './time-bounds.ts'
