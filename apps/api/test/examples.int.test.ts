import { V2_METHODS, type V2MethodName } from '@shardwalk/api-schema'
import { keepPlans } from '@shardwalk/queries'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verbOf } from '../src/http/route.ts'
import { V3_ROUTES } from '../src/v3/routes/index.ts'
import type { Json } from './client.ts'
import { exampleQueries } from './example-queries.ts'
import { seedPending } from './pending/seed-pending.ts'
import { type ExampleRequest as Asked, exampleRequests } from './v2/example-requests.ts'
import { type RunningApi, startApi, warmUp } from './v2/running-api.ts'

// The examples in the descriptions are replies of the sample chain. `npx vitest run --project int
// apps/api/test/examples.int.test.ts -u` writes them after a change of replies.

let scratch: ScratchDatabase
let api: RunningApi
beforeAll(async () => {
  scratch = await classifiedChain()
  api = await startApi([{}], { db: keepPlans(scratch.pool) })
  await warmUp(api)
  await seedPending(scratch, api)
})
afterAll(async () => {
  await api?.close()
  await scratch?.close()
})

async function ask(path: string, { query = {}, body }: Asked): Promise<Json> {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  const posted = body !== undefined && {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
  const reply = await fetch(`${api.base.replace('/api/v2', '')}${path}?${search}`, { ...posted })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${path}?${search}: ${reply.status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as Json
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length
const shortest = <T>(list: readonly T[]): T => list.reduce((a, b) => (lengthOf(b) < lengthOf(a) ? b : a))
const isEmpty = (reply: Json): boolean =>
  Object.entries(reply).some(([key, one]) => key !== 'destination_fees' && Array.isArray(one) && !one[0])

/** Of a list, the shortest of the first rows. */
async function exampleOf(path: string, asked: Asked, isList: boolean): Promise<Json> {
  if (!isList || asked.query?.['limit'] !== undefined) return ask(path, asked)
  const pages: Json[] = []
  for (let offset = 0; offset < 8; offset++) {
    const page = await ask(path, { query: { ...asked.query, limit: 1, offset } })
    if (pages.length > 0 && isEmpty(page)) break
    pages.push(page)
  }
  return shortest(pages)
}

test('each operation of API v3 has a reply of the sample chain as example', async () => {
  const examples: Record<string, Json> = {}
  const queries = await exampleQueries((path, query) => ask(`/api/v3/${path}`, { query }))
  const problems: unknown[] = []
  for (const route of V3_ROUTES) {
    const name = `${verbOf(route)} ${route.path.replace('/api/v3/', '')}`
    const example = await exampleOf(route.path, queries[name] ?? {}, 'limit' in route.query.shape).catch(
      (error: Error) => error,
    )
    if (example instanceof Error || isEmpty(example)) problems.push([name, example])
    else examples[name] = example
  }
  expect(problems).toEqual([])
  await expect(`${JSON.stringify(examples, null, 1)}\n`).toMatchFileSnapshot('../src/data/v3-examples.json')
})

/** Members that differ from run to run. */
function steady(example: Json): Json {
  const result = example['result'] as Json
  if (result?.['@type'] === 'ext.blocks.consensusBlock') result['timestamp'] = 1_760_000_000
  return { ...example, '@extra': '1760000000.25:0:0.5' }
}

test('each method of API v2 has a reply of the sample chain as example', async () => {
  const examples: Record<string, Json> = {}
  for (const name of Object.keys(V2_METHODS) as V2MethodName[]) {
    for (const asked of exampleRequests(name)) {
      const example = await ask(`/api/v2/${name}`, asked).catch(() => undefined)
      if (example && !examples[name]) examples[name] = steady(example)
      if (examples[name]) break
    }
  }
  expect(Object.keys(examples)).toEqual(Object.keys(V2_METHODS))
  await expect(`${JSON.stringify(examples, null, 1)}\n`).toMatchFileSnapshot('../src/data/v2-examples.json')
})
