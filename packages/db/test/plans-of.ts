import { believeLarge, indexColumns, wholeScansIn } from '@shardwalk/testkit'
import type { ClientBase, Pool } from 'pg'
import type { Asked } from './statements-of.ts'

const STATEMENT = /^\s*(\/\*.*?\*\/\s*)?(with|select|insert|update|delete)\b/i

/**
 * Whole tables and indexes that the statements would read if the tables were large (`wholeScansIn`).
 * Undefined if the planner cannot be made to believe that. `client` is in a transaction, in which
 * what the statements need of temporary tables is created.
 */
export async function wholeTablesOf(
  { pool, client }: { readonly pool: Pool; readonly client: ClientBase },
  asked: readonly Asked[],
): Promise<readonly Found[] | undefined> {
  const texts = new Map(asked.map((one) => [one.text, one]))
  for (const { text, values } of texts.values())
    if (/create temporary table/.test(text)) await client.query(text, [...values])
  if (!(await believeLarge(pool))) return undefined
  const columns = await indexColumns(client)
  const found: Found[] = []
  for (const { text, values } of [...texts.values()].flatMap(statementsIn)) {
    if (!STATEMENT.test(text)) continue
    const { rows } = await client.query(`explain (format json) ${text}`, [...values])
    const scans = wholeScansIn(rows[0]['QUERY PLAN'][0].Plan, columns)
    if (scans.length > 0) found.push({ text, scans })
  }
  return found
}

/** A script has several statements, without values. */
const statementsIn = ({ text, values }: Asked): readonly Asked[] =>
  values.length > 0 ? [{ text, values }] : text.split(/;\s/).map((one) => ({ text: one, values }))

interface Found {
  readonly text: string
  readonly scans: readonly string[]
}
