import { countQuarantine, tableChecksums } from '@shardwalk/db'
import {
  type ChainOptions,
  type GeneratedStep,
  generatedChain,
  generatedSource,
  type ScratchDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findCurrencies } from './find-currencies.ts'
import { runIngest } from './run-ingest.ts'

const FROM = 2
const MIDDLE = 5

const WORLDS: readonly (readonly [string, ChainOptions])[] = [
  [
    'of three workchains and many key blocks',
    { seed: 31, workchains: [0, 5, -128], keyBlocks: 0.4, accounts: 40 },
  ],
]
/** Each takes three databases. */
const MORE_WORLDS: typeof WORLDS = [
  ['without workchains', { seed: 32, workchains: [] }],
  [
    'of rare shapes, in workchains beyond 8 bits',
    { seed: 36, workchains: [0, 70_000, -(2 ** 31)], rarity: 0.15, accounts: 48, isRestless: true },
  ],
  [
    'whose accounts are frozen and deleted within a block',
    { seed: 37, lives: ['active', 'frozen', 'nonexist'], accounts: 12, transactions: 40, genesis: 0.5 },
  ],
  ['with hundreds of transactions of one account in a block', { seed: 33, accounts: 1, transactions: 300 }],
  ['whose shards are split in every step', { seed: 34, splitsDeep: true, accounts: 8, steps: 40 }],
  [
    'with a workchain that comes and goes, and any number of blocks, splits and merges at once',
    { seed: 35, workchains: [0, 5], isRestless: true, spans: new Map([[5, { from: 3, to: 5 }]]) },
  ],
]

async function indexed(steps: readonly GeneratedStep[], ranges: readonly (readonly [number, number])[]) {
  const scratch = await scratchDatabase()
  try {
    for (const [from, to] of ranges)
      await runIngest({ source: generatedSource(steps), scratch, range: { from, to } })
    await findCurrencies(scratch)
    return await summary(scratch)
  } finally {
    await scratch.close()
  }
}

async function summary({ db }: ScratchDatabase) {
  const { rows } = await sql<{ transactions: bigint; traced: bigint }>`
    select (select count(*) from transactions) as transactions, (select sum(nodes) from traces) as traced
  `.execute(db)
  return { checksums: await tableChecksums(db), quarantine: await countQuarantine(db), ...rows[0]! }
}

test.each([...WORLDS, ...(isLong ? MORE_WORLDS : [])])(
  'of a generated chain %s everything is stored, in whatever order it is indexed',
  async (_, options) => {
    const steps = [...generatedChain({ steps: 8, ...options })]
    const last = steps.at(-1)!.mcSeqno
    const blocks = steps
      .filter(({ mcSeqno }) => mcSeqno >= FROM)
      .flatMap(({ masterchain, shards }) => [...shards, masterchain])
    const forwards = await indexed(steps, [[FROM, last]])
    expect(forwards.quarantine).toEqual({ blocks: 0, transactions: 0, states: 0, versions: 0 })
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
    expect([Number(forwards.transactions), Number(forwards.traced)]).toEqual([transactions, transactions])
    const backwards = await indexed(steps, [
      [MIDDLE, last],
      [FROM, MIDDLE - 1],
    ])
    expect(backwards.checksums).toEqual(forwards.checksums)
  },
)
