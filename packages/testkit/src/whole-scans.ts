import type { ClientBase } from 'pg'
import { isBelievedLarge } from './believed-size.ts'

/** Of a plan in JSON. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

/** What needs all rows of its input before it returns the first one. */
const BLOCKING = new Set(['Sort', 'Hash', 'Aggregate'])
const INDEX_SCANS = new Set(['Index Scan', 'Index Only Scan'])

/**
 * Tables that are believed large (`believeLarge`) and read as a whole by a plan, and indexes of them that are
 * searched by a column, but not by one before it.
 */
export const wholeScansIn = (
  plan: PlanNode,
  columns: ReadonlyMap<string, readonly string[]>,
): readonly string[] => [...new Set([...wholeTablesIn(plan), ...gapsIn(plan, columns)])]

/** By name; of indexes on columns alone. */
export async function indexColumns(client: ClientBase): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by k.place) as columns
     from pg_index x join pg_class c on c.oid = x.indexrelid
     cross join lateral unnest(x.indkey) with ordinality k(number, place)
     join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.number
     where x.indexprs is null and c.relnamespace = current_schema()::regnamespace group by 1`,
  )
  return new Map(rows.map((row) => [row.name, row.columns]))
}

/**
 * Large tables of which an index is searched by a column, but not by one before it: the whole index is read
 * for it, before PostgreSQL 18 at least.
 */
function gapsIn(node: PlanNode, columns: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const { 'Index Name': index = '', 'Index Cond': condition = '' } = node
  const isNamed = (columns.get(index) ?? []).map((name) => new RegExp(`\\b${name}\\b`).test(condition))
  const isSkipped = isNamed.lastIndexOf(true) > isNamed.indexOf(false) && isNamed.includes(false)
  const isLarge = isBelievedLarge(node['Relation Name'] ?? '')
  return [
    ...(isLarge && isSkipped ? [`${index} by ${condition}`] : []),
    ...(node.Plans ?? []).flatMap((child) => gapsIn(child, columns)),
  ]
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
