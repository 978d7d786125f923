import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'

/** The PostgreSQL types that a value of the row may come from. */
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

/** Every column of a row with its PostgreSQL type. */
export type RowTypes<Row> = {
  readonly [Name in keyof Row]-?: ColumnType<Exclude<Row[Name], null | undefined>>
}

/** The same for rows of several kinds: all columns that any of them has. */
type StatementTypes<Row> = (Row extends unknown ? (types: RowTypes<Row>) => void : never) extends (
  types: infer All,
) => void
  ? All
  : never

/** A raw statement with the columns of its rows; its text may vary with the filter. */
export class Statement<Row> {
  constructor(
    readonly name: string,
    readonly types: Readonly<Record<string, string>>,
  ) {}

  async rows(db: Db, text: RawBuilder<unknown>): Promise<Row[]> {
    return (await text.execute(db)).rows as Row[]
  }
}

const declared: Statement<unknown>[] = []

/** Declares a raw statement. A test runs all of them and compares what the server answers with `types`. */
export function statement<Row>(name: string, types: StatementTypes<Row>): Statement<Row> {
  const made = new Statement<Row>(name, types as Readonly<Record<string, string>>)
  declared.push(made)
  return made
}

export const declaredStatements = (): readonly Statement<unknown>[] => declared

/**
 * A select list: the named columns of a table under their own names, but for those that have an expression.
 */
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
