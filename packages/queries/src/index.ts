export { BOOK_EXPRESSIONS, BOOK_JOINS, BOOK_TYPES, type BookRow } from './address-book/book-rows.ts'
export {
  type BlockFilter,
  type BlockRow,
  blocksOfShardState,
  findBatchExtent,
  findBlockExtent,
  findIndexedEnds,
  type IndexedEnds,
  listBlocks,
  ltRangeOfTime,
  WHOLE_WORKCHAIN,
} from './blocks/index.ts'
export {
  type LtRange,
  ltRange,
  type Page,
  type PageRequest,
  type Sort,
  type SortedPageRequest,
  type TimeRange,
  WrongCursor,
} from './idiom/index.ts'
