import type { Sort } from './conditions.ts'
import type { Cursor } from './cursor.ts'
import { OffsetTooLarge } from './errors.ts'

/**
 * The requested part of a list: at most `limit` rows after the cursor, of which the first `offset` are
 * skipped.
 */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

/** Page of a list that can be read in both directions. */
export interface SortedPageRequest extends PageRequest {
  readonly sort: Sort
}

/** Part of a list as its reader sees it: the cursor is decoded to a position. */
export interface Slice<Position> {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  /** Only rows after this one. */
  readonly after?: Position | undefined
}

/** Rows of a list from a cursor on. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Cursor of the next page; undefined on the last page. */
  readonly next?: string | undefined
}

/** Most rows that a page may skip where they are held here, because no statement can skip them. */
export const MAX_HELD_OFFSET = 100_000

/** Number of rows up to the end of a slice, to be held here. Throws `OffsetTooLarge`. */
export function heldRows({ offset, limit }: Pick<Slice<unknown>, 'offset' | 'limit'>): number {
  if (offset > MAX_HELD_OFFSET) throw new OffsetTooLarge(offset)
  return offset + limit
}

/** Page of a list that cannot have rows. */
export const EMPTY_PAGE: Page<never> = { rows: [] }

/** Order of the rows of a list. */
export interface ListOrder<Position extends object> {
  readonly cursor: Cursor<Position>
  /** Distinguishes orders of the same list. Default: the direction alone. */
  readonly by?: string | undefined
}

/** Reads one row more than requested to find out whether there is another page. */
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
