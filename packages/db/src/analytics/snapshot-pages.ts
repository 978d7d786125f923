import type pg from 'pg'
import type { Walk } from './define-dataset.ts'

/** A part of a snapshot. */
export interface SnapshotPage {
  readonly condition: string
  /** SQL: text with the position of a row. Reading goes on behind one. */
  readonly position: string
  /** There are others. */
  readonly isPart: boolean
}

/** Where to begin, and how long pages are: each index gives so many rows, and all with the last key. */
interface Paging {
  readonly after?: string | undefined
  readonly rows: number
}

/** `walk key...`, all integers. */
const POSITION = /^\d+( -?\d+)+$/

/**
 * Pages in the order of the dataset. They share out the keys, whatever is written meanwhile: a row whose key
 * does not change is in one of them.
 */
export async function* pagesOf(
  client: pg.ClientBase,
  walks: readonly Walk[],
  { after, rows }: Paging,
): AsyncGenerator<SnapshotPage> {
  if (after !== undefined && !POSITION.test(after)) throw new Error(`not a position: ${after}`)
  const [walked, ...behind] = after?.split(' ') ?? ['0']
  for (let at = Number(walked); at < walks.length; at++) {
    const walk = walks[at]!
    const position = `concat_ws(' ', ${at}, ${walk.key.join(', ')})`
    let from: readonly string[] = at === Number(walked) ? behind : []
    for (;;) {
      const to = await lastKey(client, walk, { from, rows })
      const isPart = from.length > 0 || to !== undefined
      yield { condition: between(walk, from, to), position, isPart }
      if (!to) break
      from = to
    }
  }
}

/** The key, or what it begins with, that a page ends with; undefined: it is the last one. */
async function lastKey(
  client: pg.ClientBase,
  { indexes }: Walk,
  { from, rows }: { readonly from: readonly string[]; readonly rows: number },
): Promise<readonly string[] | undefined> {
  const inOrder = indexes[0]!.columns.map((_, at) => at + 1).join(', ')
  const ends = indexes.map(({ table, columns }) => {
    const behind = from.length > 0 ? compared(columns, '>', from.slice(0, columns.length)) : 'true'
    return `(select ${columns.join(', ')} from ${table} where ${behind}
      order by ${inOrder} offset ${rows - 1} limit 1)`
  })
  const { rows: found } = await client.query<(bigint | number)[]>({
    text: `select * from (${ends.join(' union all ')}) e order by ${inOrder} limit 1`,
    rowMode: 'array',
  })
  return found[0]?.map(String)
}

/** `from` may be a whole key, `to` is of the columns of the indexes. */
function between(
  { condition = 'true', key, indexes }: Walk,
  from: readonly string[],
  to: readonly string[] | undefined,
): string {
  const { length } = indexes[0]!.columns
  const conditions = [condition]
  // For the index, which does not have all of the key.
  if (from.length > length) conditions.push(compared(key.slice(0, length), '>=', from.slice(0, length)))
  if (from.length > 0) conditions.push(compared(key.slice(0, from.length), '>', from))
  if (to) conditions.push(compared(key.slice(0, length), '<=', to))
  return conditions.join(' and ')
}

const compared = (columns: readonly string[], operator: string, values: readonly string[]): string =>
  `(${columns.join(', ')}) ${operator} (${values.map((value) => `'${value}'::int8`).join(', ')})`
