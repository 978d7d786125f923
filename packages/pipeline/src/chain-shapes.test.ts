import { decodeBlock, decodeSkeleton } from '@shardwalk/blocks'
import {
  type BlockId,
  DecodeError,
  formatBlockId,
  formatShortId,
  MASTERCHAIN,
  type ShortBlockId,
  sameBlock,
  shardContains,
} from '@shardwalk/model'
import {
  type ChainOptions,
  type GeneratedStep,
  generatedChain,
  generatedSource,
  withHeaderOnly,
} from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EarlyShardBlocks } from './early-shard-blocks.ts'
import { BatchFetcher, BlockNotAvailable, type BlockSource } from './index.ts'
import { fetchShards } from './shard-blocks.ts'

const STEPS = 8
const SMALL = { accounts: 4, transactions: 1, sizes: { cells: 2, dictionary: 2, depth: 2 } } as const

/** Lite servers at a distance, which find blocks by seqno. `asked`: what was looked up. */
function distant(steps: readonly GeneratedStep[], asked: ShortBlockId[]): BlockSource {
  const ids = steps.flatMap(({ shards }) => shards.map(({ raw }) => raw.id))
  const isIn = (id: BlockId, { workchain, shard, seqno }: ShortBlockId) =>
    id.workchain === workchain &&
    id.seqno === seqno &&
    (shardContains(id.shard, shard) || shardContains(shard, id.shard))
  return {
    ...generatedSource(steps),
    roundTripMs: () => 150,
    async findBlock(wanted) {
      asked.push(wanted)
      const found = ids.find((id) => isIn(id, wanted))
      if (!found) throw new BlockNotAvailable(formatShortId(wanted), 'generated')
      return found
    },
  }
}

/** Checks the batches of masterchain blocks from `first` on against the chain that was generated. */
async function expectBatches(options: ChainOptions, { first, urgent }: { first: number; urgent: boolean }) {
  const steps = [...generatedChain({ ...SMALL, steps: STEPS, ...options })]
  const asked: ShortBlockId[] = []
  const fetcher = new BatchFetcher(distant(steps, asked))
  const range = { from: first, to: STEPS }
  const asking = { urgent, signal: new AbortController().signal }
  const fetch = fetcher.range(range, asking)
  for (const { mcSeqno, masterchain, shards } of steps.slice(first - 1)) {
    if (urgent) fetcher.learn(masterchain.raw.id)
    const batch = await fetch(mcSeqno)
    expect(batch.masterchain.id).toEqual(masterchain.raw.id)
    const name = ({ id }: { id: BlockId }) => formatBlockId(id)
    expect(batch.shards.map(name).sort()).toEqual(shards.map(({ raw }) => name(raw)).sort())
  }
  expect(asked.filter(({ seqno }) => seqno < 1)).toEqual([])
}

test('every shard block is in the batch of the masterchain block that commits it, whatever shards do', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        seed: fc.nat(),
        isRestless: fc.boolean(),
        workchains: fc.constantFrom([], [0], [0, 5, -128]),
        span: fc.tuple(fc.integer({ min: 1, max: STEPS }), fc.integer({ min: 0, max: STEPS })),
      }),
      fc.record({ first: fc.integer({ min: 1, max: STEPS }), urgent: fc.boolean() }),
      async ({ seed, isRestless, workchains, span: [from, length] }, how) => {
        const spans = new Map([[7, { from, to: from + length }]])
        await expectBatches({ seed, isRestless, workchains: [...workchains, 7], spans }, how)
      },
    ),
    { numRuns: isLong ? 100 : 8 },
  ))

test('a shard that becomes 256 within one masterchain block, and one again, loses no block', async () => {
  const depthAt = (mcSeqno: number) => [0, 0, 8, 8, 8, 0, 3, 0, 0][mcSeqno]!
  await expectBatches({ seed: 9, depthAt, rest: 0.7 }, { first: 2, urgent: true })
})

/** Masterchain blocks that commit several blocks of a shard, of which the newest is made unreadable. */
function* unreadableTops() {
  const steps = [...generatedChain({ ...SMALL, steps: STEPS, seed: 3, isRestless: true })]
  for (const [index, { masterchain, shards }] of steps.entries()) {
    if (index === 0) continue
    const skeleton = decodeSkeleton(masterchain.raw)
    const { shardTops: previousTops = [] } = decodeSkeleton(steps[index - 1]!.masterchain.raw)
    for (const { raw } of shards) {
      const isTop = skeleton.shardTops!.some((top) => sameBlock(top, raw.id))
      const { prev } = decodeSkeleton(raw)
      if (!isTop || !prev.some((id) => shards.some((other) => sameBlock(other.raw.id, id)))) continue
      const broken = withHeaderOnly(raw)
      const shardTops = skeleton.shardTops!.map((top) =>
        sameBlock(top, raw.id) ? { ...top, ...broken.id } : top,
      )
      const expected = shards.map((one) => (one.raw === raw ? broken.id : one.raw.id))
      yield { steps, broken, previousTops, masterchain: { ...skeleton, shardTops }, expected }
    }
  }
}

test('no block is left out between an unreadable shard block and the last known one', async () => {
  let count = 0
  for (const { steps, broken, previousTops, masterchain, expected } of unreadableTops()) {
    const generated = generatedSource(steps)
    const getBlock: BlockSource['getBlock'] = async (id) =>
      sameBlock(id, broken.id) ? broken.bytes : generated.getBlock(id)
    const source = { getBlock }
    const early = new EarlyShardBlocks(source)
    const found = await fetchShards({ masterchain, previousTops, distance: 1, source, early, asking: {} })
    expect(found.map(({ id }) => formatBlockId(id)).sort()).toEqual(expected.map(formatBlockId).sort())
    count++
  }
  expect(count).toBeGreaterThan(2)
})

test('any number of unreadable masterchain blocks is passed over, and no shard block is lost', async () => {
  const [first, last] = [3, 24]
  const unreadable = ({ workchain, seqno }: ShortBlockId) =>
    workchain === MASTERCHAIN && seqno >= first && seqno < last
  const steps = [...generatedChain({ ...SMALL, steps: last + 1, seed: 5, unreadable })]
  const fetch = new BatchFetcher(generatedSource(steps)).range(
    { from: 1, to: last + 1 },
    { urgent: false, signal: new AbortController().signal },
  )
  const names = (blocks: readonly { readonly id: BlockId }[]) =>
    blocks.map(({ id }) => formatBlockId(id)).sort()
  const shardsOf = (from: number, to: number) =>
    names(steps.slice(from - 1, to).flatMap(({ shards }) => shards.map(({ raw }) => raw)))
  for (const { mcSeqno, masterchain } of steps) {
    const batch = await fetch(mcSeqno)
    expect(batch.masterchain.id).toEqual(masterchain.raw.id)
    const isPassedOver = unreadable(batch.masterchain.id)
    const from = mcSeqno === last ? first : mcSeqno
    expect(names(batch.shards)).toEqual(isPassedOver ? [] : shardsOf(from, mcSeqno))
  }
  expect(shardsOf(first, last - 1).length).toBeGreaterThan(20)
})

test('an undecodable key block does not stop the walk: the version after it is not known', async () => {
  const steps = [...generatedChain({ ...SMALL, steps: 2, seed: 5 })]
  const source: BlockSource = {
    ...generatedSource(steps),
    globalVersionAtKeyBlock: () => Promise.reject(new DecodeError('block', 'cannot be decoded')),
  }
  const asking = { urgent: false, signal: new AbortController().signal }
  const batch = await new BatchFetcher(source).range({ from: 2, to: 2 }, asking)(2)
  expect(batch).toMatchObject({ mcBlockSeqno: 2, globalVersion: undefined })
})

test('states of an unknown form stop nothing: batches are complete, only the states are unread', async () => {
  const options = { ...SMALL, seed: 6, keyBlocks: 0.5, genesis: 0.5 }
  await expectBatches({ ...options, stateTag: 0x9023afe3 }, { first: 1, urgent: false })
  const steps = [...generatedChain({ ...options, steps: STEPS, stateTag: 0x9023afe3 })]
  const asking = { urgent: false, signal: new AbortController().signal }
  const fetch = new BatchFetcher(generatedSource(steps)).range({ from: 1, to: STEPS }, asking)
  let states = 0
  for (const { mcSeqno, masterchain, shards } of steps) {
    const { header } = decodeSkeleton(masterchain.raw)
    const { globalVersion } = await fetch(mcSeqno)
    expect(globalVersion).toBe(header.prevKeyBlockSeqno === 0 ? 12 : 0xffffffff)
    for (const { raw, transactions } of [...shards, masterchain]) {
      const block = decodeBlock(raw)
      expect(block.transactions.map(({ hash }) => hash)).toEqual(transactions.map(({ cell }) => cell.hash()))
      for (const { kind } of block.unread ?? []) {
        expect(kind).toBe('state')
        states++
      }
    }
  }
  expect(states).toBeGreaterThan(0)
})
