import { type RawBuilder, sql } from 'kysely'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import type { Page, PageQuery } from '../../http/route.ts'
import { beyond, type Condition, direction, type Sort } from './sql.ts'

/** An order of rows: columns of one type each, in one direction, that tell any two rows apart. */
export interface KeysetOrder<R> {
  /** Names the order in cursors. */
  readonly name: string
  readonly columns: readonly RawBuilder<unknown>[]
  readonly sort: Sort
  readonly position: (row: R) => readonly (bigint | number | string)[]
}

/** Part of a list. */
export interface KeysetSlice {
  /** Rows after the cursor; `true` without one. */
  readonly after: Condition
  readonly orderBy: RawBuilder<unknown>
  readonly limit: number
  readonly offset: number
}

/** Reads a page and one row more, which tells whether there is a next page. */
export async function keysetPage<R>(
  query: PageQuery,
  order: KeysetOrder<R>,
  parts: {
    readonly read: (slice: KeysetSlice) => Promise<readonly R[]>
    readonly render: (rows: readonly R[]) => Promise<Page>
  },
): Promise<Page> {
  const name = `${order.name}-${order.sort}`
  const rows = await parts.read({
    after: afterCursor(query.cursor, name, order),
    orderBy: sql.join(
      order.columns.map((column) => sql`${column} ${direction(order.sort)}`),
      sql`, `,
    ),
    limit: query.limit + 1,
    offset: query.offset,
  })
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const rendered = await parts.render(page)
  return rows.length > query.limit && last
    ? { ...rendered, next: encodeCursor(name, order.position(last)) }
    : rendered
}

function afterCursor<R>(
  cursor: string | undefined,
  name: string,
  { columns, sort }: KeysetOrder<R>,
): Condition {
  if (cursor === undefined) return sql`true`
  const values = decodeCursor(cursor, name, columns.length).map((value) => sql`${String(value)}::numeric`)
  return sql`(${sql.join(columns)}) ${beyond(sort)} (${sql.join(values)})`
}
