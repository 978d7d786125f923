import { TABLE_TOPICS, type TableDefinition } from '@shardwalk/tables'
import { type Kysely, sql } from 'kysely'

/** A comment of a table or view, or of one of its columns. */
export interface Comment {
  /** With its schema if that is not the current one. */
  readonly relation: string
  readonly kind: 'table' | 'view'
  readonly column?: string
  readonly text: string
}

const TABLES: readonly TableDefinition[] = TABLE_TOPICS.flatMap(({ tables }) => [...tables])

/** What docs/schema.md says of tables and columns, for `\d+` and for programs that show it to people. */
export const tableComments = (): readonly Comment[] =>
  TABLES.flatMap(({ name, comment, columns }) => [
    { relation: name, kind: 'table' as const, text: comment },
    ...Object.entries(columns).map(([column, { comment: text }]) => ({
      relation: name,
      kind: 'table' as const,
      column,
      text,
    })),
  ])

/** Only what differs is written: a comment locks its table against vacuum. */
export async function writeComments(db: Kysely<unknown>, comments: readonly Comment[]): Promise<void> {
  const { rows } = await sql<{ stored: string | null }>`
    select case when column_name is null then obj_description(to_regclass(relation), 'pg_class')
      else col_description(to_regclass(relation), (select attnum from pg_attribute
        where attrelid = to_regclass(relation) and attname = column_name)) end as stored
    from unnest(${comments.map(({ relation }) => relation)}::text[],
      ${comments.map(({ column }) => column ?? null)}::text[])
      with ordinality c (relation, column_name, position) order by position
  `.execute(db)
  for (const { relation, kind, column, text } of comments.filter(
    (one, at) => rows[at]?.stored !== one.text,
  )) {
    const what = column === undefined ? `${kind} ${relation}` : `column ${relation}."${column}"`
    await sql`comment on ${sql.raw(what)} is ${sql.lit(text)}`.execute(db)
  }
}
