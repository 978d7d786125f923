import { tableChecksums } from '@shardwalk/db'
import { readDhtConfig } from '@shardwalk/dht'
import { silentLogger } from '@shardwalk/observability'
import { damagedLine, type FullNodeFaults, ReplayChain, ReplayFullNodes } from '@shardwalk/replay'
import { FullNodeSource, Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, randomFrom, scratchDatabase } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checksumsOf, endingAt, runIngest } from './run-ingest.ts'

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
let recording: Recording
let range: { from: number; to: number }
let expected: Awaited<ReturnType<typeof checksumsOf>>

beforeAll(async () => {
  console.log(`SEED=${SEED}`)
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  range = { from: 1, to: isLong ? recording.last : 60 }
  expected = await checksumsOf({ source: endingAt(new RecordingSource(recording), range.to), range })
})
afterAll(() => recording.close())

const FAULTS = { loss: 0.1, reorder: 0.3 }

/** A source that knows nothing but the hash table's part of a global config, which names no lite server. */
async function withFullNodes<T>(
  nodes: readonly FullNodeFaults[],
  act: (open: () => Promise<FullNodeSource>, chain: ReplayChain) => Promise<T>,
  head = range.to,
): Promise<T> {
  const random = randomFrom(SEED)
  const chain = new ReplayChain(recording, head)
  const fullNodes = await ReplayFullNodes.start({ chain, nodes, random })
  const opened: FullNodeSource[] = []
  const open = async () => {
    const source = await FullNodeSource.open({
      dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
      zerostateId: recording.network.zerostate,
      host: '127.0.0.1',
      log: silentLogger,
      ...(nodes[0]?.loss !== undefined && { line: damagedLine(FAULTS, random) }),
    })
    opened.push(source)
    return source
  }
  try {
    return await act(open, chain)
  } finally {
    await Promise.all(opened.map((source) => source.close()))
    await fullNodes.close()
  }
}

test('the chain from genesis is indexed from full nodes alone, as from its recording', async () => {
  const found = await withFullNodes([{}, {}], async (open) => checksumsOf({ source: await open(), range }))
  expect(found).toEqual(expected)
})

test('a tenth lost, a third reordered, one of three nodes lying and one silent change nothing', async () => {
  const nodes = [FAULTS, { ...FAULTS, lies: true }, { ...FAULTS, isSilent: true }]
  const found = await withFullNodes(nodes, async (open) =>
    checksumsOf({ source: await open(), range, timeoutMs: 600_000 }),
  )
  expect(found).toEqual(expected)
})

test('an ingest that ends in the middle goes on with another source', async () => {
  const scratch = await scratchDatabase()
  try {
    await withFullNodes([{}, {}], async (open) => {
      const middle = { from: 1, to: Math.floor(range.to / 2) }
      await runIngest({ source: await open(), scratch, range: middle })
      await runIngest({ source: await open(), scratch, range })
    })
    expect(Object.fromEntries(await tableChecksums(scratch.db))).toEqual(expected)
  } finally {
    await scratch.close()
  }
})

test('new blocks are heard from broadcasts, and those that nobody broadcast are asked for', async () => {
  const found = await withFullNodes(
    [{}, {}],
    async (open, chain) => {
      const source = await open()
      const indexed = checksumsOf({ source, range })
      for (let seqno = range.to - 20; seqno <= range.to; seqno += 2) {
        await expect
          .poll(() => source.following.newest?.seqno, { timeout: 30_000 })
          .toBeGreaterThan(seqno - 4)
        chain.setHead(seqno)
      }
      const tables = await indexed
      expect(source.following.counts.broadcast).toBeGreaterThan(0)
      return tables
    },
    range.to - 20,
  )
  expect(found).toEqual(expected)
})
