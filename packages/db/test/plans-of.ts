import { isBelievedLarge } from '@shardwalk/testkit'
import type { Pool } from 'pg'
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

/** The plan of a statement, for its values. */
export async function planOf(pool: Pool, { text, values }: Asked): Promise<PlanNode> {
  const { rows } = await pool.query(`explain (format json) ${text}`, [...values])
  return rows[0]['QUERY PLAN'][0].Plan
}

/**
 * Large tables that a plan reads as a whole: without a condition on an index, and to the end, or until a
 * filter has let enough rows pass.
 */
export function wholeTablesIn(plan: PlanNode, isLimited = false): readonly string[] {
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
