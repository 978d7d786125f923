import { repartition, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATASETS } from '../src/index.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  await repartition(scratch.pool, PARTITIONS)
})
afterAll(() => scratch?.close())

const PARTITIONS = 30

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

/** How often partitions of transactions are searched. */
const searches = (node: PlanNode): number =>
  (/^transactions_lt_/.test(node['Relation Name'] ?? '') ? node['Actual Loops'] : 0) +
  (node.Plans ?? []).reduce((sum, child) => sum + searches(child), 0)

test('an export of accounts searches partitions that have transactions of the account only', async () => {
  const { from, order } = DATASETS.find(({ name }) => name === 'accounts')!
  const { rows } = await scratch.pool.query(
    `explain (analyze, format json) select f.hash as first, d.hash as deployed ${from} order by ${order}`,
  )
  const pairs = await scratch.pool.query<{ pairs: number; accounts: number }>(
    `select count(*)::int as pairs, count(distinct account_id)::int as accounts
     from (select distinct account_id, tableoid from transactions) t`,
  )
  const { pairs: most, accounts } = pairs.rows[0]!
  const found = searches(rows[0]['QUERY PLAN'][0].Plan)
  expect(found).toBeGreaterThan(accounts)
  // For the first transaction and for that of the deployment.
  expect(found).toBeLessThanOrEqual(2 * most + accounts)
})
