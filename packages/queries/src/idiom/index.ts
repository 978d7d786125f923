export { anyOf, isAnyOf } from './any-of.ts'
export { all, beyond, beyondOrAt, type Condition, direction, KEEP_PLAN, type Sort } from './conditions.ts'
export { readContractRows } from './contract-rows.ts'
export {
  Cursor,
  type CursorColumn,
  hash256,
  int4,
  int8,
} from './cursor.ts'
export { OffsetTooLarge, PageTooLarge, WrongCursor } from './errors.ts'
export {
  type KeysetColumn,
  type KeysetOrder,
  type KeysetSlice,
  orderOfRows,
  type RowOrder,
  type RowPageRequest,
  readKeyset,
} from './keyset.ts'
export { expectLight, LIGHT_ROWS } from './light-pages.ts'
export {
  EMPTY_PAGE,
  heldRows,
  MAX_HELD_OFFSET,
  type Page,
  type PageRequest,
  readPage,
  type Slice,
  type SortedPageRequest,
} from './page.ts'
export { named, partColumns } from './part-columns.ts'
export {
  ALL_LT,
  earlier,
  hasTime,
  intersect,
  intersectTimes,
  isEmpty,
  type LtRange,
  later,
  ltConditions,
  ltRange,
  openedWithin,
  rangeOf,
  type TimeRange,
  timeConditions,
  timesAfter,
  timesUpTo,
} from './ranges.ts'
export { Statement, selected, statement } from './statement.ts'
export { tableColumns } from './table-columns.ts'
export { withKey } from './with-key.ts'
