import type { Database } from '@shardwalk/db'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { expect, test } from 'vitest'
import { ALL_LT } from '../idiom/index.ts'
import { mergeAccounts } from './merge-accounts.ts'

const BUSY = 1n

interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** The next keys of `BUSY`, which has a transaction at every lt. */
function nextKeys(parameters: readonly unknown[]): object[] {
  const [accounts, from] = parameters as [bigint[], bigint[]]
  const start = from[accounts.indexOf(BUSY)]
  if (start === undefined) return []
  return Array.from({ length: parameters.at(-1) as number }, (_, i) => ({
    account_id: BUSY,
    lt: start + BigInt(i),
    now: 0,
  }))
}

/** Answers the statements of the merge, and counts those that read keys. */
class OneBusyAccount extends DummyDriver {
  reads = 0

  override async acquireConnection() {
    return {
      executeQuery: async ({ sql, parameters }: Statement) => {
        if (!sql.includes('k(account_id, from_lt, to_lt)'))
          return { rows: (parameters[1] as bigint[]).map((lt) => ({ lt })) as never[] }
        this.reads++
        return { rows: nextKeys(parameters) as never[] }
      },
      async *streamQuery() {},
    }
  }
}

test('a deep page of many accounts, of which one is busy, takes few statements', async () => {
  const driver = new OneBusyAccount()
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (one) => new PostgresIntrospector(one),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const accounts = Array.from({ length: 1000 }, (_, i) => BigInt(i + 1))
  const scan = { lt: { from: 1n, to: ALL_LT.to }, time: {}, conditions: [] }
  const slice = { sort: 'asc', limit: 3, offset: 20_000 } as const
  const page = await mergeAccounts(db, { accounts, scan, order: 'lt' }, slice)
  expect(page.map(({ lt }) => lt)).toEqual([20_001n, 20_002n, 20_003n])
  expect(driver.reads).toBeLessThan(15)
})
