/** Types of columns, in PostgreSQL's short notation. */
export type SqlType =
  | 'int2'
  | 'int4'
  | 'int8'
  | 'float8'
  | 'bool'
  | 'bytea'
  | 'text'
  | 'numeric'
  | 'timestamptz'
  | 'json'
  | 'jsonb'
  | 'uuid'
  | 'int4[]'
  | 'int8[]'
  | 'text[]'
  | 'bytea[]'

/**
 * One column. `Select`, `Insert`, `Update`: types of its value as read, inserted and updated, `never` where
 * that is impossible.
 */
export class Column<Type extends SqlType, Select, Insert = Select, Update = Insert> {
  /** For the type checker only. */
  declare readonly values: { readonly select: Select; readonly insert: Insert; readonly update: Update }

  constructor(
    readonly type: Type,
    /** One sentence: meaning and unit. */
    readonly comment: string,
    readonly nullable = false,
    /** Whether the database supplies the value; COPY omits such columns. */
    readonly filledIn: 'never' | 'by default' | 'always' = 'never',
    /** False for a column that is null when the row is copied and set by a later statement. */
    readonly copied = true,
  ) {}

  orNull(): Column<Type, Select | null, Insert | null, Update | null> {
    return new Column(this.type, this.comment, true, this.filledIn, this.copied)
  }

  setLater(): Column<Type, Select, Insert, Update> {
    return new Column(this.type, this.comment, this.nullable, this.filledIn, false)
  }

  withDefault(): Column<Type, Select, Insert | undefined, Update> {
    return new Column(this.type, this.comment, this.nullable, 'by default')
  }

  generated(): Column<Type, Select, never, never> {
    return new Column(this.type, this.comment, this.nullable, 'always')
  }
}

/** Columns by type of PostgreSQL. `comment`: what docs/schema.md says, with unit or source. */
export const int2 = <T extends number = number>(comment: string) => new Column<'int2', T>('int2', comment)
export const int4 = <T extends number = number>(comment: string) => new Column<'int4', T>('int4', comment)
export const int8 = <T extends bigint = bigint>(comment: string) => new Column<'int8', T>('int8', comment)
export const float8 = (comment: string) => new Column<'float8', number>('float8', comment)
export const bool = (comment: string) => new Column<'bool', boolean>('bool', comment)
export const bytea = (comment: string) => new Column<'bytea', Buffer>('bytea', comment)
export const text = <T extends string = string>(comment: string) => new Column<'text', T>('text', comment)
/** Decimal text in both directions: numbers of contracts have up to 257 bits. */
export const numeric = (comment: string) => new Column<'numeric', string>('numeric', comment)
export const timestamptz = (comment: string) => new Column<'timestamptz', Date>('timestamptz', comment)
export const uuid = (comment: string) => new Column<'uuid', string>('uuid', comment)
/** Parsed when read, JSON text when written. */
export const json = <T>(comment: string) => new Column<'json', T, string>('json', comment)
/** Parsed when read, JSON text when written. */
export const jsonb = <T>(comment: string) => new Column<'jsonb', T, string>('jsonb', comment)
export const int4Array = (comment: string) => new Column<'int4[]', readonly number[]>('int4[]', comment)
export const int8Array = <T extends bigint = bigint>(comment: string) =>
  new Column<'int8[]', readonly T[]>('int8[]', comment)
export const textArray = (comment: string) => new Column<'text[]', readonly string[]>('text[]', comment)
export const byteaArray = (comment: string) => new Column<'bytea[]', readonly Buffer[]>('bytea[]', comment)

/** Columns by name, in the order used by COPY, which may differ from that of the database. */
export type Columns = Readonly<Record<string, Column<SqlType, unknown, unknown, unknown>>>

/**
 * Definition of a table, from which the types of queries, the columns of COPY and docs/schema.md are derived.
 */
export interface TableDefinition<Name extends string = string, C extends Columns = Columns> {
  readonly name: Name
  /** What a row stands for. */
  readonly comment: string
  /** Further notes for docs/schema.md. */
  readonly notes?: string
  /** Absent when the table has none. */
  readonly primaryKey?: readonly string[]
  /** Other indexes: name and what `pg_indexes` shows after `USING` (or after `USING btree`). */
  readonly indexes?: Readonly<Record<string, string>>
  readonly columns: C
  /** Names of the columns that COPY fills, in its order. */
  readonly copied: readonly string[]
}

type Options<Name extends string, C extends Columns> = Omit<
  TableDefinition<Name, C>,
  'name' | 'primaryKey' | 'copied'
> & {
  readonly primaryKey?: readonly (keyof C & string)[]
}

/** A table; its name is kept as a literal type, so that queries and rows are typed by it. */
export const defineTable = <Name extends string, C extends Columns>(
  name: Name,
  options: Options<Name, C>,
): TableDefinition<Name, C> => ({
  name,
  ...options,
  copied: Object.entries(options.columns)
    .filter(([, column]) => column.filledIn === 'never' && column.copied)
    .map(([column]) => column),
})

/** A row as read. */
export type RowOf<T extends TableDefinition> = {
  [K in keyof T['columns']]: T['columns'][K]['values']['select']
}

/** For views that show Unix seconds as times: rows are stored nearly in their order. */
export const brinByTime = (column: string): string =>
  `brin (to_timestamp((${column})::double precision), (((to_timestamp((${column})::double precision) AT ` +
  "TIME ZONE 'UTC'::text))::date)) WITH (pages_per_range='32', autosummarize='on')"

/** Numbers that stand for the names: `0 internal, 1 external_in`. */
export const enumeration = (names: readonly string[]): string =>
  names.map((name, index) => `${index} ${name}`).join(', ')
