import { BatchSink, claimNetwork, countQuarantine, listIndexedRanges, tableChecksums } from '@shardwalk/db'
import { MASTERCHAIN, type ShortBlockId } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { BatchFetcher, type RawBatch, type SeqnoRange, seqnosOf } from '@shardwalk/pipeline'
import { generatedChain, generatedSource, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quarantined } from '../src/batch-decoder.ts'
import { DatabaseSink } from '../src/database-sink.ts'
import { BatchDecoder, repair } from '../src/index.ts'

/** More than are replaced in one transaction. */
const UNREADABLE: SeqnoRange = { from: 3, to: 40 }
const FIRST_ONES: SeqnoRange = { from: 1, to: 2 }
const LAST = UNREADABLE.to + 2
/** Batches of a transaction of ingest. */
const AT_ONCE = isLong ? 1 : 7
const SMALL = { seed: 11, accounts: 8, transactions: 2, sizes: { cells: 3, depth: 2 } }
const steps = [...generatedChain({ ...SMALL, steps: LAST })]
const source = generatedSource(steps)
const { signal } = new AbortController()

let decoder: BatchDecoder
let expected: Awaited<ReturnType<typeof tableChecksums>>

beforeAll(async () => {
  decoder = new BatchDecoder(1)
  expected = await withDatabase(async (scratch) => {
    await commit(scratch, await fetched())
    return tableChecksums(scratch.db)
  })
})
afterAll(() => decoder.close())

async function withDatabase<T>(work: (scratch: ScratchDatabase) => Promise<T>): Promise<T> {
  const scratch = await scratchDatabase()
  try {
    return await work(scratch)
  } finally {
    await scratch.close()
  }
}

function fetched({ of = source, to = LAST } = {}): Promise<RawBatch[]> {
  const range = { from: 1, to }
  const fetch = new BatchFetcher(of).range(range, { urgent: false, signal })
  return Promise.all(seqnosOf(range).map(fetch))
}

const isIn = (seqno: number, { from, to }: SeqnoRange) => seqno >= from && seqno <= to

/** As a version fetches them that cannot read these masterchain blocks. */
function fetchedByEarlierVersion(batches: readonly RawBatch[], unreadable: SeqnoRange): RawBatch[] {
  const passedOver = batches.filter(({ mcBlockSeqno }) => isIn(mcBlockSeqno, unreadable))
  return batches.map((batch) => {
    if (isIn(batch.mcBlockSeqno, unreadable)) return { ...batch, shards: [] }
    if (batch.mcBlockSeqno !== unreadable.to + 1) return batch
    return { ...batch, shards: [...passedOver.flatMap(({ shards }) => shards), ...batch.shards] }
  })
}

async function commit(
  scratch: ScratchDatabase,
  batches: readonly RawBatch[],
  isReadable = (_: number) => true,
) {
  await claimNetwork(scratch.db, await source.zerostateId())
  const sink = new DatabaseSink(scratch.db, new BatchSink(scratch.pool), decoder)
  const decoded = await Promise.all(
    batches.map((batch) =>
      isReadable(batch.mcBlockSeqno)
        ? decoder.decode(batch, { urgent: false })
        : quarantined(batch, 'an earlier version could not read it'),
    ),
  )
  for (let at = 0; at < decoded.length; at += AT_ONCE) await sink.commit(decoded.slice(at, at + AT_ONCE))
}

const { to } = UNREADABLE
test.each([
  ['one of them', UNREADABLE, { from: 20, to: 20 }],
  ['the one after them, which has their shard blocks', UNREADABLE, { from: to + 1, to: to + 1 }],
  ['the last of them and those after it', UNREADABLE, { from: to, to: LAST }],
  ['the first of the chain', FIRST_ONES, { from: 1, to: 1 }],
])('undecodable masterchain blocks in a row become whole when %s is repaired', (_, unreadable, range) =>
  withDatabase(async (scratch) => {
    const batches = fetchedByEarlierVersion(await fetched(), unreadable)
    await commit(scratch, batches, (seqno) => !isIn(seqno, unreadable))
    const { blocks } = await countQuarantine(scratch.db)
    expect(blocks).toBe(unreadable.to - unreadable.from + 1)
    await repair(range, { source, database: scratch, log: silentLogger, signal, decodeThreads: 1, decoder })
    expect(await countQuarantine(scratch.db)).toEqual({ blocks: 0, transactions: 0, states: 0, versions: 0 })
    expect(await tableChecksums(scratch.db)).toEqual(expected)
  }),
)

test('a database begins with blocks of which nothing can be decoded, and no shard block is lost', () =>
  withDatabase(async (scratch) => {
    const unreadable = ({ workchain, seqno }: ShortBlockId) =>
      workchain === MASTERCHAIN && isIn(seqno, FIRST_ONES) && 'wholly'
    const chain = [...generatedChain({ ...SMALL, steps: 4, unreadable })]
    await commit(scratch, await fetched({ of: generatedSource(chain), to: 4 }))
    expect(await countQuarantine(scratch.db)).toEqual({ blocks: 2, transactions: 0, states: 0, versions: 0 })
    expect(await listIndexedRanges(scratch.db)).toEqual([{ from: 1, to: 4 }])
    const shardBlocks = chain.flatMap(({ shards }) => shards)
    expect(shardBlocks.length).toBeGreaterThan(2)
    const { rows } = await scratch.pool.query('select from blocks where workchain = 0')
    expect(rows.length).toBe(shardBlocks.length)
  }))
