import { TABLE_TOPICS, type TableDefinition } from '@shardwalk/db'
import type pg from 'pg'

const EMPTY: Readonly<Record<string, unknown>> = { bool: false, text: '', numeric: '0', json: {}, jsonb: {} }
const emptyOf = (type: string): unknown =>
  type.endsWith('[]') ? [] : type === 'bytea' ? '\\x' : type in EMPTY ? EMPTY[type] : 0

/** Columns that the rows do not have are null or empty. */
export async function insertRows(pool: pg.Pool, name: string, rows: readonly object[]): Promise<void> {
  const table: TableDefinition = TABLE_TOPICS.flatMap(({ tables }) => [...tables]).find(
    (one) => one.name === name,
  )!
  const columns = Object.entries(table.columns).filter(
    ([key, { filledIn }]) =>
      filledIn === 'never' || (filledIn === 'by default' && rows.some((row) => key in row)),
  )
  const filled = rows.map((row) =>
    Object.fromEntries(
      columns.map(([key, { nullable, type }]) => [
        key,
        (row as Record<string, unknown>)[key] ?? (nullable ? null : emptyOf(type)),
      ]),
    ),
  )
  const text = JSON.stringify(filled, function (this: Record<string, unknown>, key, given) {
    const original = this[key]
    if (Buffer.isBuffer(original)) return `\\x${original.toString('hex')}`
    return typeof original === 'bigint' ? String(original) : given
  })
  const list = columns.map(([key]) => key).join(', ')
  await pool.query(
    `insert into ${name} (${list}) select ${list} from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
    [text],
  )
}
