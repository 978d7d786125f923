import { BatchSink, claimNetwork, countQuarantine, tableChecksums } from '@shardwalk/db'
import { silentLogger } from '@shardwalk/observability'
import { BatchFetcher, type RawBatch, type SeqnoRange, seqnosOf } from '@shardwalk/pipeline'
import { generatedChain, generatedSource, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quarantined } from '../src/batch-decoder.ts'
import { DatabaseSink } from '../src/database-sink.ts'
import { BatchDecoder, repair } from '../src/index.ts'

/** More than are replaced in one transaction. */
const UNREADABLE: SeqnoRange = { from: 3, to: 40 }
const LAST = UNREADABLE.to + 2
const steps = [
  ...generatedChain({ seed: 11, steps: LAST, accounts: 8, transactions: 2, sizes: { cells: 3, depth: 2 } }),
]
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

function fetched(): Promise<RawBatch[]> {
  const range = { from: 1, to: LAST }
  const fetch = new BatchFetcher(source).range(range, { urgent: false, signal })
  return Promise.all(seqnosOf(range).map(fetch))
}

const isUnreadable = (seqno: number) => seqno >= UNREADABLE.from && seqno <= UNREADABLE.to

/** As a version fetches them that cannot read these masterchain blocks. */
function fetchedByEarlierVersion(batches: readonly RawBatch[]): RawBatch[] {
  const passedOver = batches.filter(({ mcBlockSeqno }) => isUnreadable(mcBlockSeqno))
  return batches.map((batch) => {
    if (isUnreadable(batch.mcBlockSeqno)) return { ...batch, shards: [] }
    if (batch.mcBlockSeqno !== UNREADABLE.to + 1) return batch
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
  for (const batch of batches)
    await sink.commit([
      isReadable(batch.mcBlockSeqno)
        ? await decoder.decode(batch, { urgent: false })
        : quarantined(batch, 'an earlier version could not read it'),
    ])
}

const { to } = UNREADABLE
test.each([
  ['one of them', { from: 20, to: 20 }],
  ['the one after them, which has their shard blocks', { from: to + 1, to: to + 1 }],
  ['the last of them and those after it', { from: to, to: LAST }],
])('undecodable masterchain blocks in a row become whole when %s is repaired', (_, range) =>
  withDatabase(async (scratch) => {
    await commit(scratch, fetchedByEarlierVersion(await fetched()), (seqno) => !isUnreadable(seqno))
    const { blocks } = await countQuarantine(scratch.db)
    expect(blocks).toBe(to - UNREADABLE.from + 1)
    await repair(range, { source, database: scratch, log: silentLogger, signal, decodeThreads: 1 })
    expect(await countQuarantine(scratch.db)).toEqual({ blocks: 0, transactions: 0, states: 0 })
    expect(await tableChecksums(scratch.db)).toEqual(expected)
  }),
)
