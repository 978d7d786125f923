import { expandSupportedTypes } from '@shardwalk/actions'
import { ActionsQuery, parseQueryString, profileRules, readQuery, TracesQuery } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { AccountCache, keepPlans, listActions, listTraces, placesOfTransactions } from '@shardwalk/queries'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { sweptChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Page, type RenderContext, renderActions, renderTraces, UNLIMITED } from '../src/index.ts'

type Transaction = Record<string, unknown>
interface Trace {
  readonly trace_id: string
  readonly transactions_order: readonly string[]
  readonly transactions: Readonly<Record<string, Transaction>>
}
interface Action {
  readonly transactions: readonly string[]
  readonly transactions_full: readonly Transaction[]
}

let scratch: ScratchDatabase
let db: Db
beforeAll(async () => {
  scratch = await sweptChain.classified()
  db = keepPlans(scratch.pool)
})
afterAll(() => scratch?.close())

const rules = profileRules('standard')
const OPTIONS = { rules, alsoKnown: [] }
const supported = expandSupportedTypes(undefined)

const contextOver = (own: Db): RenderContext => ({
  ...{ db: own, accounts: new AccountCache(), rules, testOnly: false, size: UNLIMITED },
  settings: { noAddressBook: false, noMetadata: false },
  marketplaces: new Map(),
  reading: (read) => read(own),
})

async function rowsOf<Row>(page: Page): Promise<Row[]> {
  const rows: Row[] = []
  for await (const text of page.items) rows.push(JSON.parse(text) as Row)
  return rows
}

/** A page of actions as a client would ask for it. */
async function actionsOf(query: string): Promise<Action[]> {
  const { value } = readQuery(ActionsQuery, parseQueryString(query), OPTIONS)
  const { rows } = await listActions(db, { supported }, value)
  return rowsOf(renderActions(contextOver(db), rows, value))
}

/** A page of traces as a client would ask for it. */
async function tracesOf(query: string): Promise<Trace[]> {
  const { value } = readQuery(TracesQuery, parseQueryString(query), OPTIONS)
  const { rows } = await listTraces(db, {}, value)
  return rowsOf(renderTraces(contextOver(db), rows, value))
}

test('actions have the same transactions in one group and in many', async () => {
  const found = await actionsOf(`limit=${isLong ? 1000 : 130}&include_transactions=true&sort=asc`)
  const wanted = new Set(found.flatMap(({ transactions }) => transactions))
  const byHash = new Map<string, Transaction>()
  const isMissing = () => [...wanted].some((hash) => !byHash.has(hash))
  for (let offset = 0; isMissing(); offset += 200) {
    const page = await tracesOf(`limit=200&offset=${offset}&sort=asc`)
    expect(page.length).toBeGreaterThan(0)
    for (const { transactions } of page)
      for (const [hash, transaction] of Object.entries(transactions)) byHash.set(hash, transaction)
  }
  for (const { transactions, transactions_full } of found)
    expectSame(
      transactions_full,
      transactions.map((hash) => byHash.get(hash)),
    )
  expect(found.length).toBe(isLong ? 1000 : 130)
})

test('a trace that is removed while its page is made is answered with what was read of it', async () => {
  const [trace] = await tracesOf('limit=1')
  const copy = await sampleChainDatabase()
  let removed = 0
  const removesTraces: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (result.rows.some((row) => 'of_piece' in row))
        removed += (await copy.pool.query('delete from traces')).rowCount ?? 0
      return result
    },
  }
  try {
    const other = copy.db.withPlugin(removesTraces)
    const { value } = readQuery(TracesQuery, parseQueryString('limit=10'), OPTIONS)
    const hash = Buffer.from(trace!.transactions_order[0]!, 'base64')
    const traceIds = (await placesOfTransactions(other, [hash])).map((place) => place.trace_id)
    const { rows } = await listTraces(other, { traceIds }, value)
    const rendered = await rowsOf<Trace>(renderTraces(contextOver(other), rows, value))
    expect(removed).toBeGreaterThan(0)
    expect(rendered.map((one) => one.transactions_order)).toEqual([trace!.transactions_order])
  } finally {
    await copy.close()
  }
})
