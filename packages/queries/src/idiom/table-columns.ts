import { type Row, TABLE_TOPICS, type TableDefinition, type TableName } from '@shardwalk/db'
import type { RowTypes } from './statement.ts'

const TABLES = new Map<string, TableDefinition>(
  TABLE_TOPICS.flatMap(({ tables }) => tables.map((table) => [table.name, table] as const)),
)

/** Columns of a table with their types from the table's definition. */
export function tableColumns<Name extends TableName, Column extends keyof Row<Name> & string>(
  table: Name,
  ...columns: readonly Column[]
): RowTypes<Pick<Row<Name>, Column>> {
  const defined = TABLES.get(table)!.columns
  return Object.fromEntries(columns.map((name) => [name, defined[name]!.type])) as never
}
