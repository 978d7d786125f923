import type { Sort } from './conditions.ts'
import type { Cursor } from './cursor.ts'

/** Which part of a list is wanted: at most `limit` rows after the cursor, `offset` of them skipped. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

/** Of a list that goes both ways. */
export interface SortedPageRequest extends PageRequest {
  readonly sort: Sort
}

/** Part of a list, as its reader sees it: the cursor is a position. */
export interface Slice<Position> {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  /** Only rows behind it. */
  readonly after?: Position | undefined
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Cursor of what follows; undefined: nothing does. */
  readonly next?: string | undefined
}

/** A page on which no row can be. */
export const EMPTY_PAGE: Page<never> = { rows: [] }

/** How the rows of a list are ordered. */
export interface ListOrder<Position extends object> {
  readonly cursor: Cursor<Position>
  /** Tells the orders of one list apart; default: the direction alone does. */
  readonly by?: string | undefined
}

/** Reads one row more than the page holds, which tells whether another page follows. */
export async function readPage<Row extends Position, Position extends object>(
  page: SortedPageRequest,
  order: ListOrder<Position>,
  read: (slice: Slice<Position>) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const { sort, limit, offset } = page
  const name = order.by === undefined ? sort : `${order.by}-${sort}`
  const after = page.cursor === undefined ? undefined : order.cursor.decode(name, page.cursor)
  const rows = await read({ sort, limit: limit + 1, offset, after })
  if (rows.length <= limit) return { rows }
  const last = rows[limit - 1]
  return { rows: rows.slice(0, limit), next: last && order.cursor.encode(name, last) }
}
