import { serializeBoc } from '@shardwalk/cells'
import type {
  DecodedBlock,
  DecodedMessage,
  DecodedTransaction,
  TransactionDescription,
} from '@shardwalk/model'
import {
  type ChainOptions,
  type GeneratedBlock,
  type GeneratedMessage,
  type GeneratedStep,
  type GeneratedTransaction,
  generatedChain,
  onlyTransactions,
} from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { isLong } from '@shardwalk/testkit/runs'
import {
  forEachInMsg,
  forEachOutMsg,
  loadExtraCurrenciesDict,
  packDescription,
  unpackDescription,
} from '@shardwalk/tlb'
import { type Cell as CoreCell, loadTransaction } from '@ton/core'
import { expect, test } from 'vitest'
import { decodeBlock, decodeSkeleton, KnownCells, openBlock, walkBatch } from '../src/index.ts'
import { coreCells, expectTransaction } from './core-oracle.ts'
import { hex } from './fixtures.ts'

/** Blocks that are made and compared; the seeds go on from the second number. */
const BLOCKS = Number(process.env['GENERATED_BLOCKS'] ?? (isLong ? 200 : 20))
const FIRST_SEED = Number(process.env['GENERATED_SEED'] ?? 1)

/** Two tests look at the first of them. */
const chains = new Map<number, readonly GeneratedStep[]>()
function chainOf(seed: number): Iterable<GeneratedStep> {
  if (seed > 4) return generatedChain({ seed })
  const made = chains.get(seed) ?? [...generatedChain({ seed })]
  chains.set(seed, made)
  return made
}

/** A field that is not there may be present as undefined. */
const present = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<T>

const normalised = (description: TransactionDescription) =>
  Object.fromEntries(
    Object.entries(present(description)).map(([key, value]) => [
      key,
      typeof value === 'object' ? present(value) : value,
    ]),
  )

function expectMessage(found: DecodedMessage | undefined, wanted: GeneratedMessage | undefined): void {
  expectSame(found === undefined, wanted === undefined)
  if (!found || !wanted) return
  const { cell, hasRareAddress: _, ...fields } = wanted
  expectSame(found.hash, cell.hash())
  for (const [key, value] of Object.entries(fields)) expectSame(found[key as keyof DecodedMessage], value)
}

function expectPutIn(found: DecodedTransaction, wanted: GeneratedTransaction): void {
  const { cell, description, inMsg, outMsgs, ...fields } = wanted
  expectSame(found.hash, cell.hash())
  for (const [key, value] of Object.entries(fields)) expectSame(found[key as keyof DecodedTransaction], value)
  expectSame(normalised(found.description), normalised(description))
  expectSame(normalised(unpackDescription(packDescription(found.description))), normalised(description))
  expectMessage(found.inMsg, inMsg)
  expectSame(found.outMsgs.length, outMsgs.length)
  for (const [i, message] of outMsgs.entries()) expectMessage(found.outMsgs[i], message)
}

/** Merges, suspended accounts, anycast and addresses of variable length are beyond @ton/core 0.63. */
const isBeyondCore = ({ description, inMsg, outMsgs }: GeneratedTransaction): boolean =>
  description.kind.startsWith('merge') ||
  (description.computePhase?.skipped === true && description.computePhase.reason === 'suspended') ||
  [inMsg, ...outMsgs].some((message) => message?.hasRareAddress)

/**
 * Compares the states of a block with the accounts it was generated from; pruned parts must have the right
 * hash.
 */
function expectStates(block: DecodedBlock, { states }: GeneratedBlock, counts: Counts): void {
  const seen = new Set<string>()
  for (const { account, stateAfter } of block.transactions) {
    if (!stateAfter) continue
    const key = hex(account.hash)
    seen.add(key)
    const wanted = states.get(key)!
    const known = new KnownCells()
    known.addTree(wanted.cell)
    const hidden = stateAfter.extraCurrenciesHash && known.tree(stateAfter.extraCurrenciesHash)
    if (hidden) counts.hidden++
    const { code, data } = wanted
    expectSame(
      [
        stateAfter.status,
        stateAfter.balance,
        hidden ? loadExtraCurrenciesDict(hidden.slice()) : stateAfter.extraCurrencies,
        stateAfter.frozenHash,
        stateAfter.codeHash,
        stateAfter.dataHash,
      ],
      [wanted.status, wanted.balance, wanted.extraCurrencies, wanted.frozenHash, code?.hash(), data?.hash()],
    )
    if (stateAfter.code) expectSame(stateAfter.code, serializeBoc(code!))
    if (stateAfter.data) expectSame(stateAfter.data, serializeBoc(data!))
    else if (data) counts.hidden++
  }
  expectSame([...seen].sort(), [...states.keys()].sort())
}

const newCounts = () => ({ blocks: 0, transactions: 0, core: 0, hidden: 0, bytes: 0, splits: 0, merges: 0 })
type Counts = ReturnType<typeof newCounts> & { kinds?: Set<string> }

/** `@ton/core` is asked about transactions only; of a few blocks it reads all cells. */
const bytesForCore = ({ raw: { bytes } }: GeneratedBlock, { blocks }: Counts): Buffer =>
  blocks % 8 === 1 ? bytes : onlyTransactions(bytes)

function checkBlock(generated: GeneratedBlock, counts: Counts, asksCore: boolean): void {
  const block = decodeBlock(generated.raw, { verify: 'cells' })
  expect(block.unread).toBeUndefined()
  expect(block.transactions.length).toBe(generated.transactions.length)
  let cells: ReadonlyMap<string, CoreCell> | undefined
  for (const [i, tx] of block.transactions.entries()) {
    const wanted = generated.transactions[i]!
    counts.kinds?.add(tx.description.kind)
    expectPutIn(tx, wanted)
    if (!asksCore || isBeyondCore(wanted)) continue
    cells ??= coreCells(bytesForCore(generated, counts))
    expectTransaction(tx, loadTransaction(cells.get(hex(tx.hash))!.beginParse()))
    counts.core++
  }
  expectStates(block, generated, counts)
  counts.blocks++
  counts.transactions += block.transactions.length
  counts.bytes = Math.max(counts.bytes, generated.raw.bytes.length)
  if (block.header.afterSplit) counts.splits++
  if (block.header.afterMerge) counts.merges++
}

async function checkChain(
  options: ChainOptions,
  counts: Counts,
  {
    asksCore = true,
    steps = generatedChain(options),
  }: { asksCore?: boolean; steps?: Iterable<GeneratedStep> } = {},
): Promise<void> {
  let previousTops: Parameters<typeof walkBatch>[0]['previousTops'] | undefined
  for (const { masterchain, shards } of steps) {
    for (const block of [...shards, masterchain]) checkBlock(block, counts, asksCore)
    const { shardTops } = decodeSkeleton(masterchain.raw)
    const byHash = new Map(shards.map(({ raw }) => [hex(raw.id.rootHash), raw]))
    if (previousTops) {
      const load = async ({ rootHash }: { rootHash: Buffer }) => decodeSkeleton(byHash.get(hex(rootHash))!)
      const walked = await walkBatch({ tops: shardTops!, previousTops, load })
      expect(walked.length).toBe(shards.length)
    }
    previousTops = shardTops!.map(({ workchain, shard, seqno, rootHash, fileHash }) => ({
      ...{ workchain, shard, seqno, rootHash, fileHash },
    }))
  }
}

test(
  `${BLOCKS} generated blocks are read as what was put into them, and as @ton/core reads them`,
  async () => {
    const counts: Counts = { ...newCounts(), kinds: new Set() }
    for (let seed = FIRST_SEED; counts.blocks < BLOCKS; seed++)
      try {
        await checkChain({ seed }, counts, { steps: chainOf(seed) })
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
    const { kinds, ...numbers } = counts
    if (BLOCKS > 200) console.log(numbers)
    expect([...kinds!].sort()).toHaveLength(7)
    expect(counts.core).toBeGreaterThan(BLOCKS / 4)
    expect(counts.hidden).toBeGreaterThan(BLOCKS / 10)
    expect(counts.splits).toBeGreaterThan(0)
    expect(counts.merges).toBeGreaterThan(0)
  },
  Math.max(300_000, BLOCKS * 2_000),
)

test('the descriptors of generated blocks are of every kind, and each names its message', () => {
  const kinds = { in: new Set<string>(), out: new Set<string>() }
  for (const seed of [1, 2, 3, 4])
    for (const { masterchain, shards } of chainOf(seed))
      for (const { raw } of [...shards, masterchain]) {
        const { extra } = openBlock(raw)
        forEachInMsg(extra.inMsgDescr, ({ kind, message, envelope }, hash) => {
          kinds.in.add(kind)
          expectSame((message ?? envelope!.message).refHash(), hash)
        })
        forEachOutMsg(extra.outMsgDescr, ({ kind, message, envelope }, hash) => {
          kinds.out.add(kind)
          const named = message ?? envelope?.message
          if (named) expectSame(named.refHash(), hash)
        })
      }
  expect([kinds.in.size, kinds.out.size]).toEqual([9, 10])
})

const WORLDS: readonly (readonly [string, ChainOptions])[] = [
  ['without workchains', { seed: 11, workchains: [] }],
  ['with three workchains', { seed: 12, workchains: [0, 5, -128], accounts: 48 }],
  [
    'of rare shapes, in workchains beyond 8 bits',
    {
      ...{ seed: 15, rarity: 0.2, workchains: [0, 70_000, -(2 ** 31)] },
      ...{ accounts: 48, genesis: 0.3, keyBlocks: 0.8 },
    },
  ],
  [
    'whose accounts are frozen and deleted within a block',
    { seed: 16, lives: ['active', 'frozen', 'nonexist'], accounts: 6, transactions: 40, genesis: 0.5 },
  ],
  ['with nothing but key blocks', { seed: 13, keyBlocks: 1 }],
  [
    'whose shards are split down to 60 bits',
    { seed: 14, splitsDeep: true, steps: 64, accounts: 8, transactions: 2 },
  ],
]

test.each(WORLDS)('a chain %s is read and walked', async (_, options) => {
  const counts: Counts = newCounts()
  await checkChain(options, counts)
  expect(counts.transactions).toBeGreaterThan(10)
})

test('hundreds of transactions of one account in a block are read', async () => {
  const counts: Counts = newCounts()
  const size = isLong ? { seed: 15, steps: 2, transactions: 500 } : { seed: 23, steps: 1, transactions: 300 }
  await checkChain({ ...size, accounts: 1 }, counts)
  expect(counts.transactions).toBeGreaterThan(200)
})

test('data of 10,000 entries and trees that are 1,000 cells deep are read', async () => {
  const counts: Counts = newCounts()
  const sizes = { cells: 2_000, dictionary: 10_000, depth: 1_000 }
  const steps = isLong ? 5 : 2
  await checkChain({ seed: 12, steps, accounts: 8, transactions: 6, sizes }, counts)
  expect(counts.hidden).toBeGreaterThan(0)
  expect(counts.bytes).toBeGreaterThan(100_000)
})

test('a block of 2 MB is read', async () => {
  const counts: Counts = newCounts()
  const size = isLong
    ? { seed: 1, accounts: 400, transactions: 1_500 }
    : { seed: 5, accounts: 100, transactions: 1_000 }
  // Most of the time would be that of @ton/core.
  await checkChain({ ...size, steps: 1 }, counts, { asksCore: isLong })
  expect(counts.bytes).toBeGreaterThan(1_500_000)
})
