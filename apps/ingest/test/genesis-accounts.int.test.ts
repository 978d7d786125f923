import { ContractRefresher, openTvm } from '@shardwalk/contract-indexer'
import { BatchSink } from '@shardwalk/db'
import { BatchDecoder, DatabaseSink } from '@shardwalk/indexing'
import { MASTERCHAIN } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { BatchFetcher, type BlockSource, type SeqnoRange, seqnosOf } from '@shardwalk/pipeline'
import {
  type ChainOptions,
  generatedChain,
  generatedSource,
  type ScratchDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { refreshAll } from '@shardwalk/testkit/refresh-chain'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findCurrencies } from './find-currencies.ts'

/** Masterchain seqno from which on there are shards of workchain 5. */
const BEGINNING = 4
const LAST = 7
const OPTIONS: ChainOptions = {
  ...{ seed: 51, steps: LAST, accounts: 120, transactions: 3, genesis: 0.7 },
  workchains: [0, 1, 5],
  spans: new Map([[5, { from: BEGINNING, to: LAST }]]),
}
const STEPS = [...generatedChain(OPTIONS)]
const SOURCE = generatedSource(STEPS)

let decoder: BatchDecoder
/** Of all refreshers: each thread would compile its methods again. */
let tvm: ReturnType<typeof openTvm>
beforeAll(() => {
  decoder = new BatchDecoder(1)
  tvm = openTvm(1)
})
afterAll(async () => {
  await (await whole)?.close()
  await Promise.all([decoder.close(), tvm.close()])
})

let whole: Promise<ScratchDatabase> | undefined
/** Of all blocks, in order; no test changes it. */
const wholeChain = (): Promise<ScratchDatabase> => (whole ??= makeWhole())
async function makeWhole(): Promise<ScratchDatabase> {
  const scratch = await scratchDatabase()
  await index(scratch, { from: 1, to: LAST })
  return scratch
}

/** Balances by address of the accounts that have had no transaction. */
async function untouchedIn({ db }: ScratchDatabase): Promise<Record<string, string>> {
  const { rows } = await sql<{ address: string; balance: string }>`
    select a.workchain || ':' || encode(a.address, 'hex') as address, s.balance::text
    from latest_account_states s join accounts a on a.id = s.account_id where s.lt = 0`.execute(db)
  return Object.fromEntries(rows.map(({ address, balance }) => [address, balance]))
}

async function untouchedAfter(range: SeqnoRange, source?: BlockSource): Promise<Record<string, string>> {
  const scratch = await scratchDatabase()
  try {
    await index(scratch, range, source)
    return await untouchedIn(scratch)
  } finally {
    await scratch.close()
  }
}

async function index(scratch: ScratchDatabase, range: SeqnoRange, source = SOURCE): Promise<void> {
  await commit(scratch, range, source)
  const refresher = refresherOf(scratch, source)
  await refreshAll(refresher)
  await refresher.close()
}

const refresherOf = (database: ScratchDatabase, source: BlockSource) =>
  new ContractRefresher({ ...{ database, source, states: undefined, threads: 1, tvm, log: silentLogger } })

async function commit(scratch: ScratchDatabase, range: SeqnoRange, source: BlockSource): Promise<void> {
  const { signal } = new AbortController()
  const fetch = new BatchFetcher(source).range(range, { urgent: false, signal })
  const sink = new DatabaseSink(scratch.db, new BatchSink(scratch.pool), decoder)
  for (const seqno of seqnosOf(range))
    await sink.commit([await decoder.decode(await fetch(seqno), { urgent: false })])
}

function expected(workchains: readonly number[], steps = STEPS): Record<string, string> {
  const blocks = steps.flatMap(({ masterchain, shards }) => [...shards, masterchain])
  const touched = new Set(
    blocks.flatMap(({ raw, states }) => [...states.keys()].map((hex) => `${raw.id.workchain}:${hex}`)),
  )
  return Object.fromEntries(
    workchains.flatMap((workchain) =>
      [...steps[0]!.zerostates.get(workchain)!.accounts]
        .map(([hex, { balance }]) => [`${workchain}:${hex}`, String(balance)] as const)
        .filter(([address]) => !touched.has(address)),
    ),
  )
}

test('accounts that exist since genesis, or since their workchain began later, are indexed', async () => {
  const all = expected([MASTERCHAIN, 0, 1, 5])
  for (const workchain of [MASTERCHAIN, 0, 1, 5])
    expect(Object.keys(expected([workchain])).length, String(workchain)).toBeGreaterThan(0)
  expect(await untouchedIn(await wholeChain())).toEqual(all)
})

test('those of a workchain whose beginning is not indexed are left out', async () => {
  expect(await untouchedAfter({ from: BEGINNING - 1, to: LAST })).toEqual(expected([5]))
})

test('an account of a zerostate with more than can be stored does not keep out the others', async () => {
  const balance = 1n << 63n
  const chain = [...generatedChain({ ...OPTIONS, steps: 2, balanceAt: { seqno: 0, balance, alone: true } })]
  const all = expected([MASTERCHAIN, 0, 1], chain)
  const others = Object.entries(all).filter(([, amount]) => amount !== String(balance))
  expect(others.length).toBe(Object.keys(all).length - 1)
  expect(await untouchedAfter({ from: 1, to: 2 }, generatedSource(chain))).toEqual(Object.fromEntries(others))
})

test('a workchain whose zerostate cannot be read does not keep out the accounts of others', async () => {
  const getZerostate: BlockSource['getZerostate'] = async (id) =>
    id.workchain === 1 ? Buffer.from('no bag of cells') : SOURCE.getZerostate(id)
  const untouched = await untouchedAfter({ from: 1, to: LAST }, { ...SOURCE, getZerostate })
  expect(untouched).toEqual(expected([MASTERCHAIN, 0, 5]))
})

const IN_ANY_ORDER = [[1, LAST], ...[1, LAST, 4, 2, 6, 3, 5].map((seqno) => [seqno, seqno])] as const

test.each([
  ['before the zerostate is read', IN_ANY_ORDER.slice(0, 1)],
  ['in any order', IN_ANY_ORDER.slice(1)],
])(
  'extra currencies that accounts have since genesis are known when blocks are indexed %s',
  async (_, ranges) => {
    const scratch = await scratchDatabase()
    const refresher = refresherOf(scratch, SOURCE)
    try {
      for (const [from, to] of ranges) {
        await commit(scratch, { from, to }, SOURCE)
        await refreshAll(refresher)
      }
      await findCurrencies(scratch)
      const { rows } = await sql`
      select from transactions where jsonb_typeof(extra_currencies_after) = 'string'`.execute(scratch.db)
      expect(rows.length).toBe(0)
    } finally {
      await refresher.close()
      await scratch.close()
    }
  },
)

/** What was found out about contracts, and what is missing of others. */
async function examinedIn({ db }: ScratchDatabase) {
  const { rows } = await sql<{ account_id: bigint }>`
    select s.account_id, c.lt, m.what from latest_account_states s
    left join contracts c using (account_id) left join missing_states m using (account_id)
    order by s.account_id`.execute(db)
  return rows
}

test('a contract that lacks cells of the zerostate is examined once the genesis is indexed', async () => {
  const forwards = await examinedIn(await wholeChain())
  const scratch = await scratchDatabase()
  try {
    await index(scratch, { from: BEGINNING, to: LAST })
    await index(scratch, { from: 1, to: BEGINNING - 1 })
    expect(await examinedIn(scratch)).toEqual(forwards)
  } finally {
    await scratch.close()
  }
})

test.each([
  ['forwards', [[1, 8]]],
  [
    'backwards',
    [
      [5, 8],
      [1, 4],
    ],
  ],
] as const)(
  'of a whole chain, indexed %s, no code or data is missing, however blocks left them out',
  async (_, ranges) => {
    const steps = [
      ...generatedChain({
        ...{ seed: 24, steps: 8, accounts: 16, transactions: 6 },
        sizes: { cells: 6, dictionary: 10, depth: 5 },
      }),
    ]
    const scratch = await scratchDatabase()
    try {
      for (const [from, to] of ranges) await index(scratch, { from, to }, generatedSource(steps))
      const { rows } = await sql<{ what: string }>`
      select what from missing_states where what not like 'library %'`.execute(scratch.db)
      expect(rows).toEqual([])
    } finally {
      await scratch.close()
    }
  },
)
