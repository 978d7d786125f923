import {
  type Classified,
  type EncodedBatch,
  QueueClassifier,
  readClassifierQueue,
  tableChecksums,
} from '@shardwalk/db'
import { randomFrom, type ScratchDatabase, scratchDatabase, shuffled } from '@shardwalk/testkit'
import {
  abandonSome,
  classifiedChain,
  commitGroups,
  endLeases,
  inGroups,
  RecordedNetwork,
  refreshAll,
  sweptChain,
} from '@shardwalk/testkit/refresh-chain'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { actionsByMessage, SPECIAL, scenario, whatWasDone, whatWasToBeDone } from './scenario.ts'

/** Traces and actions of the recorded chain, and facts about its contracts, depend on the chain alone. */

const SEED = testSeed()
let network: RecordedNetwork
let batches: EncodedBatch[]
let reference: ScratchDatabase
let expected: Record<string, string>

beforeAll(async () => {
  network = await RecordedNetwork.open()
  batches = await sweptChain.batches()
  reference = await classifiedChain()
  const undisturbed = await sweptChain.classified()
  expected = await results(undisturbed).finally(() => undisturbed.close())
})
afterAll(async () => {
  await reference?.close()
  await network?.close()
})

async function refreshEverything(scratch: ScratchDatabase): Promise<void> {
  await endLeases(scratch)
  const refresher = network.refresher(scratch)
  await refreshAll(refresher)
  await refresher.close()
}

async function classifyEverything(classifier: QueueClassifier): Promise<number> {
  let traces = 0
  for (let round: Classified; (round = await classifier.round()).traces > 0; ) traces += round.traces
  return traces
}

async function results({ db, pool }: ScratchDatabase): Promise<Record<string, string>> {
  expect(await readClassifierQueue(pool)).toMatchObject({
    waiting: 0,
    waitingForContracts: 0,
    changedAccounts: 0,
  })
  const tables = ['traces', 'actions', 'action_accounts', 'classification_failures'] as const
  const sums = await tableChecksums(db, tables)
  return Object.fromEntries(
    [...sums].map(([table, { rows, checksum }]) => [table, `${rows} rows, ${checksum}`]),
  )
}

/** A submittable object, as for COPY, fails at the call; every other statement rejects its promise. */
function die(statement: unknown): Promise<never> {
  const killed = new Error('killed')
  if (typeof (statement as { submit?: unknown }).submit === 'function') throw killed
  return Promise.reject(killed)
}

/** A pool whose connection dies before one of the next statements, losing uncommitted changes. */
function mortal(pool: pg.Pool, random: () => number, lifetime: number): pg.Pool {
  let left = Math.floor(random() * lifetime)
  const connect = async () => {
    const client = await pool.connect()
    return new Proxy(client, {
      get(target, key) {
        if (key === 'query' && left-- <= 0) return die
        const value = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
  return { connect } as unknown as pg.Pool
}

/** Returns whether it died. */
async function classifyAndDie(pool: pg.Pool, random: () => number): Promise<boolean> {
  try {
    // Without waiting: many traces are classified before their contracts are known.
    await classifyEverything(
      new QueueClassifier(mortal(pool, random, 80), { waitForFacts: false, limit: 20 }),
    )
    return false
  } catch (error) {
    expect(error).toMatchObject({ message: 'killed' })
    return true
  }
}

test('every transaction is in exactly one trace, and each trace counts its transactions', async () => {
  const { rows } = await reference.pool.query(
    `select (select count(*) from transactions where trace_id_of(piece) is null)::int as without,
       (select count(*) from transactions)::int as transactions, (select sum(nodes)
         from traces)::int as nodes,
       (select count(*) from traces r where nodes <> (select count(*)
         from pieces_of_trace(r.piece) p(piece) join transactions t on t.piece = p.piece))::int as differing`,
  )
  expect(rows).toEqual([{ without: 0, transactions: 7637, nodes: 7637, differing: 0 }])
})

test('the actions match the scenario, step by step', async () => {
  const done = whatWasDone(await actionsByMessage(reference))
  expect(Object.keys(done)).toHaveLength(222)
  expect(done).toEqual(whatWasToBeDone())
  const steps = new Set(scenario.steps.map(({ id }) => id))
  for (const id of Object.keys(SPECIAL)) expect(steps).toContain(id)
})

test('the classifier fails on no trace', async () => {
  const { rows } = await reference.pool.query('select * from classification_failures')
  expect(rows).toEqual([])
})

const newestFirst = () =>
  inGroups([...batches].reverse(), isLong ? 60 : 12).map((group) => [...group].reverse())

/** How many of two classifiers died. */
async function deathsOfTwo(scratch: ScratchDatabase, random: () => number): Promise<number> {
  const dead = [1, 2].map(() => classifyAndDie(scratch.pool, random))
  return (await Promise.all(dead)).filter(Boolean).length
}

const eager = ({ pool }: ScratchDatabase) => new QueueClassifier(pool, { waitForFacts: false })

test.runIf(!isLong)(
  'newest first, by classifiers that die at random, again when contracts become known: same tables',
  async () => {
    const random = randomFrom(SEED)
    const scratch = await scratchDatabase({ max: 8 })
    try {
      let deaths = 0
      await commitGroups(scratch, newestFirst(), async () => {
        deaths += await deathsOfTwo(scratch, random)
      })
      expect(deaths).toBeGreaterThan(3)
      await classifyEverything(eager(scratch))
      expect(await results(scratch)).not.toEqual(expected)
      await abandonSome(scratch)
      await refreshEverything(scratch)
      const classifiers = [1, 2].map(() => new QueueClassifier(scratch.pool, { limit: 70 }))
      const [one, other] = await Promise.all(classifiers.map(classifyEverything))
      const last = await classifyEverything(new QueueClassifier(scratch.pool))
      expect(one! + other! + last).toBeGreaterThan(100)
      expect(await results(scratch)).toEqual(expected)
    } finally {
      await scratch.close()
    }
  },
)

test.runIf(isLong)(
  'newest first, classified at once and again when contracts become known: same tables',
  async () => {
    const scratch = await scratchDatabase()
    try {
      let classified = 0
      await commitGroups(scratch, newestFirst(), async () => {
        classified += await classifyEverything(eager(scratch))
      })
      expect(await results(scratch)).not.toEqual(expected)
      await refreshEverything(scratch)
      const again = await classifyEverything(new QueueClassifier(scratch.pool))
      console.log(`${classified} traces classified without facts, ${again} of them again`)
      expect(await results(scratch)).toEqual(expected)
      expect(again).toBeGreaterThan(100)
      expect(again).toBeLessThan(classified)
    } finally {
      await scratch.close()
    }
  },
)

test.runIf(isLong)(
  'random order, two classifiers that die at random, examined in between: same tables',
  async () => {
    const random = randomFrom(SEED)
    const scratch = await scratchDatabase({ max: 8 })
    try {
      const refresher = network.refresher(scratch)
      let deaths = 0
      await commitGroups(scratch, shuffled(inGroups(batches, 45), random), async (index) => {
        if (index % 3 === 0) await abandonSome(scratch)
        const [died] = await Promise.all([deathsOfTwo(scratch, random), refresher.round()])
        deaths += died
      })
      await refresher.close()
      console.log(`${deaths} classifiers died`)
      expect(deaths).toBeGreaterThan(3)
      await refreshEverything(scratch)
      await Promise.all(
        [1, 2].map(() => classifyEverything(new QueueClassifier(scratch.pool, { limit: 70 }))),
      )
      await classifyEverything(new QueueClassifier(scratch.pool))
      expect(await results(scratch)).toEqual(expected)
    } finally {
      await scratch.close()
    }
  },
)
