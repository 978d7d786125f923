export { anyOf, isAnyOf } from './any-of.ts'
export { all, beyond, beyondOrAt, type Condition, direction, KEEP_PLAN, type Sort } from './conditions.ts'
export {
  Cursor,
  type CursorColumn,
  decodeCursor,
  encodeCursor,
  hash256,
  int4,
  int8,
} from './cursor.ts'
export { WrongCursor } from './errors.ts'
export { type KeysetOrder, type KeysetSlice, readKeyset } from './keyset.ts'
export {
  EMPTY_PAGE,
  type ListOrder,
  type Page,
  type PageRequest,
  readPage,
  type Slice,
  type SortedPageRequest,
} from './page.ts'
export { named, type PartTypes, partColumns } from './part-columns.ts'
export {
  ALL_LT,
  earlier,
  hasTime,
  intersect,
  isEmpty,
  type LtRange,
  later,
  ltRange,
  type TimeRange,
  timeConditions,
} from './ranges.ts'
export { declaredStatements, type RowTypes, Statement, selected, statement } from './statement.ts'
export { tableColumns } from './table-columns.ts'
