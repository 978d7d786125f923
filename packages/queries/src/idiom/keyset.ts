import { type RawBuilder, sql } from 'kysely'
import { beyond, type Condition, direction, type Sort } from './conditions.ts'
import { decodeCursor, encodeCursor, numberIn } from './cursor.ts'
import { WrongCursor } from './errors.ts'
import type { Page, PageRequest } from './page.ts'

/**
 * A column and its type. A cursor's values are compared in that type: no index on an integer serves a
 * comparison with a numeric, so that each page would begin at the first row of the list. `indexed`: what has
 * the same order and is in the index, if the column is an expression that is not.
 */
export type KeysetColumn = readonly [
  column: RawBuilder<unknown>,
  type: 'int4' | 'int8' | 'numeric' | 'text',
  indexed?: RawBuilder<unknown>,
]

/** An order by columns, all in one direction, that tell any two rows apart. */
export interface KeysetOrder<Row> {
  /** Names the order in cursors. */
  readonly name: string
  readonly columns: readonly KeysetColumn[]
  readonly sort: Sort
  readonly position: (row: Row) => readonly (bigint | number | string)[]
}

/** The order of a list that has none of its own. */
export type RowOrder = 'account' | 'insertion'

/** A page of a list in the order of its rows. */
export interface RowPageRequest extends PageRequest {
  /** Default: `account`. */
  readonly rowOrder?: RowOrder | undefined
}

interface NumberedRow {
  readonly account_id: bigint
  readonly row_no: bigint
}

/** By account, the same in every database; or as rows were first written, so that new ones come last. */
export const orderOfRows = <Row extends NumberedRow>(
  name: string,
  table: string,
  order: RowOrder = 'account',
): KeysetOrder<Row> =>
  order === 'account'
    ? {
        name,
        sort: 'asc',
        columns: [[sql.ref(`${table}.account_id`), 'int8']],
        position: (row) => [row.account_id],
      }
    : {
        name: `${name}-insertion`,
        sort: 'asc',
        columns: [[sql.ref(`${table}.row_no`), 'int8']],
        position: (row) => [row.row_no],
      }

/** Part of a list, as clauses of its statement. */
export interface KeysetSlice {
  /** Rows after the cursor; `true` without one. */
  readonly after: Condition
  /** Values of the cursor. */
  readonly position: readonly string[] | undefined
  readonly orderBy: RawBuilder<unknown>
  readonly limit: number
  readonly offset: number
}

/** `readPage` for a list whose order is a row of columns: position and order become clauses. */
export async function readKeyset<Row>(
  page: PageRequest,
  order: KeysetOrder<Row>,
  read: (slice: KeysetSlice) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const name = `${order.name}-${order.sort}`
  const position = page.cursor === undefined ? undefined : positionIn(page.cursor, name, order.columns)
  const rows = await read({
    after: position ? afterPosition(position, order) : sql`true`,
    position,
    orderBy: sql.join(
      order.columns.map(([column, , indexed = column]) => sql`${indexed} ${direction(order.sort)}`),
      sql`, `,
    ),
    limit: page.limit + 1,
    offset: page.offset,
  })
  if (rows.length <= page.limit) return { rows }
  const last = rows[page.limit - 1]
  return { rows: rows.slice(0, page.limit), next: last && encodeCursor(name, valuesAt(last, order)) }
}

/** A text may contain what separates values. */
const valuesAt = <Row>(row: Row, { columns, position }: KeysetOrder<Row>) =>
  position(row).map((value, index) =>
    columns[index]![1] === 'text' ? Buffer.from(String(value)).toString('base64url') : value,
  )

const positionIn = (cursor: string, name: string, columns: readonly KeysetColumn[]): readonly string[] =>
  decodeCursor(cursor, name, columns.length).map((value, index) => valueIn(value, columns[index]![1], name))

function afterPosition<Row>(position: readonly string[], { columns, sort }: KeysetOrder<Row>): Condition {
  const values = position.map((value, index) => sql`${value}::${sql.raw(columns[index]![1])}`)
  return sql`(${sql.join(columns.map(([column]) => column))}) ${beyond(sort)} (${sql.join(values)})`
}

function valueIn(value: string, type: KeysetColumn[1], name: string): string {
  if (type === 'text') {
    const text = Buffer.from(value, 'base64url').toString()
    // PostgreSQL has no such text.
    if (text.includes('\0')) throw new WrongCursor(name)
    return text
  }
  const number = numberIn(value, name)
  if (type !== 'numeric' && BigInt.asIntN(type === 'int4' ? 32 : 64, number) !== number)
    throw new WrongCursor(name)
  return String(number)
}
