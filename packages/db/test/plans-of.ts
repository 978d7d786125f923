import { believeLarge, isBelievedLarge } from '@shardwalk/testkit'
import type { ClientBase, Pool } from 'pg'
import type { Asked } from './statements-of.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

/** What needs all rows of its input before it returns the first one. */
const BLOCKING = new Set(['Sort', 'Hash', 'Aggregate'])
const INDEX_SCANS = new Set(['Index Scan', 'Index Only Scan'])

const STATEMENT = /^\s*(\/\*.*?\*\/\s*)?(with|select|insert|update|delete)\b/i

/**
 * Whole tables that the statements would read if the tables were large (`wholeTablesIn`). Undefined if the
 * planner cannot be made to believe that. `client` is in a transaction, in which what the statements need
 * of temporary tables is created.
 */
export async function wholeTablesOf(
  { pool, client }: { readonly pool: Pool; readonly client: ClientBase },
  asked: readonly Asked[],
): Promise<readonly Found[] | undefined> {
  const texts = new Map(asked.map((one) => [one.text, one]))
  for (const { text, values } of texts.values())
    if (/create temporary table/.test(text)) await client.query(text, [...values])
  if (!(await believeLarge(pool))) return undefined
  const found: Found[] = []
  for (const { text, values } of [...texts.values()].flatMap(statementsIn)) {
    if (!STATEMENT.test(text)) continue
    const { rows } = await client.query(`explain (format json) ${text}`, [...values])
    const tables = [...new Set(wholeTablesIn(rows[0]['QUERY PLAN'][0].Plan))]
    if (tables.length > 0) found.push({ text, tables })
  }
  return found
}

/** A script has several statements, without values. */
const statementsIn = ({ text, values }: Asked): readonly Asked[] =>
  values.length > 0 ? [{ text, values }] : text.split(/;\s/).map((one) => ({ text: one, values }))

interface Found {
  readonly text: string
  readonly tables: readonly string[]
}

/**
 * Large tables that a plan reads as a whole: without a condition on an index, and to the end, or until a
 * filter has let enough rows pass.
 */
function wholeTablesIn(plan: PlanNode, isLimited = false): readonly string[] {
  const table = plan['Relation Name'] ?? ''
  const type = plan['Node Type']
  const hasNoCondition = type === 'Seq Scan' || (INDEX_SCANS.has(type) && !plan['Index Cond'])
  const isWhole = hasNoCondition && (!isLimited || (type === 'Seq Scan' && plan.Filter !== undefined))
  const below = type === 'Limit' || (isLimited && !BLOCKING.has(type))
  return [
    ...(isWhole && isBelievedLarge(table) ? [`${type} on ${table}`] : []),
    ...(plan.Plans ?? []).flatMap((child) => wholeTablesIn(child, below)),
  ]
}
