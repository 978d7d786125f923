import { createDb, type DatabaseHandle } from '@shardwalk/db'
import { repartition, type ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Facts, PATHS, readFacts } from '../bench/scale-paths.ts'
import { Client } from './client.ts'

// Years of mainnet with the narrowest width that makes sense. A statement that cannot be pruned locks every
// partition with its indexes.
const PARTITIONS = 150
const CLIENTS = 64

let scratch: ScratchDatabase
let reading: DatabaseHandle
let client: Client
let facts: Facts

beforeAll(async () => {
  scratch = await classifiedChain()
  await repartition(scratch.pool, PARTITIONS)
  reading = createDb({ url: scratch.url, max: 16, applicationName: 'test' })
  client = await Client.start(reading)
  const found = await readFacts(scratch.pool)
  facts = { ...found, jettons: found.jettons.length > 0 ? found.jettons : found.busy }
})
afterAll(async () => {
  await client?.close()
  await reading?.close()
  await scratch?.close()
})

test(`${CLIENTS} clients at once are answered from ${PARTITIONS} partitions, whatever they ask`, async () => {
  const { rows } = await scratch.pool.query(
    "select count(*)::int as n from pg_inherits where inhparent = 'messages'::regclass",
  )
  expect(rows[0].n).toBe(PARTITIONS)
  const paths = Object.entries(PATHS)
  const failures: string[] = []
  // Together they ask for every form once, twice if tests are long, beside all the others.
  const step = isLong ? CLIENTS / 2 : CLIENTS
  const work = Array.from({ length: CLIENTS }, async (_, start) => {
    for (let at = start % step; at < paths.length; at += step) {
      const [name, path] = paths[at]!
      const reply = await fetch(`${client.server.url}/api/v3/${path(facts, start)}`)
      if (reply.status !== 200) failures.push(`${name}: ${reply.status} ${await reply.text()}`)
      else await reply.arrayBuffer()
    }
  })
  await Promise.all(work)
  expect(failures).toEqual([])
})
