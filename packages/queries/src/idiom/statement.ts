import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'

/** The PostgreSQL types that can produce a value of this type. */
type ColumnType<T> = [T] extends [bigint]
  ? 'int8'
  : [T] extends [number]
    ? 'int2' | 'int4' | 'float8'
    : [T] extends [boolean]
      ? 'bool'
      : [T] extends [Buffer]
        ? 'bytea'
        : [T] extends [string]
          ? 'text' | 'numeric'
          : [T] extends [Date]
            ? 'timestamptz'
            : [T] extends [readonly bigint[]]
              ? 'int8[]'
              : [T] extends [readonly number[]]
                ? 'int4[]'
                : [T] extends [readonly Buffer[]]
                  ? 'bytea[]'
                  : [T] extends [readonly string[]]
                    ? 'text[]'
                    : 'jsonb' | 'json'

/** PostgreSQL type of every column of a row. */
export type RowTypes<Row> = {
  readonly [Name in keyof Row]-?: ColumnType<Exclude<Row[Name], null | undefined>>
}

/** Same for rows of several kinds: all columns of all kinds. */
type StatementTypes<Row> = (Row extends unknown ? (types: RowTypes<Row>) => void : never) extends (
  types: infer All,
) => void
  ? All
  : never

/** A raw statement and the columns of its rows. Its text may vary with the filter. */
export class Statement<Row> {
  constructor(
    readonly name: string,
    readonly types: Readonly<Record<string, string>>,
  ) {}

  async rows(db: Db, text: RawBuilder<unknown>): Promise<Row[]> {
    return (await text.execute(db)).rows as Row[]
  }
}

/**
 * Declares a raw statement. A test finds all of them in the sources, runs them and compares the columns that
 * PostgreSQL returns with `types`.
 */
export const statement = <Row>(name: string, types: StatementTypes<Row>): Statement<Row> =>
  new Statement<Row>(name, types as Readonly<Record<string, string>>)

/** A select list: columns of a table under their own names, except those given by an expression. */
export function selected<Name extends string>(
  table: string,
  columns: Readonly<Record<Name, string>>,
  expressions: { readonly [N in Name]?: string } = {},
): RawBuilder<unknown> {
  const list = Object.keys(columns).map((name) => {
    const expression = expressions[name as Name]
    return expression === undefined ? `${table}.${name}` : `${expression} as ${name}`
  })
  return sql.raw(list.join(', '))
}
