import { type ChildProcess, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFullNodeReports, tableChecksums } from '@shardwalk/db'
import { readDhtConfig } from '@shardwalk/dht'
import { CheckedPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { createMetrics, silentLogger } from '@shardwalk/observability'
import {
  damagedLine,
  type FullNodeFaults,
  ReplayChain,
  ReplayFullNodes,
  startReplay,
  withDht,
} from '@shardwalk/replay'
import {
  FallbackSource,
  FullNodeSource,
  type FullNodeSourceOptions,
  LiteserverSource,
  Recording,
  RecordingSource,
} from '@shardwalk/sources'
import { endWithTests, FIXTURE_CHAIN_FOLDER, randomFrom, scratchDatabase } from '@shardwalk/testkit'
import { COMPILED_ROOT, isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fullNodeMetrics, fullNodeObserver } from '../src/full-node-metrics.ts'
import { checksumsOf, endingAt, runIngest, untilIndexed } from './run-ingest.ts'

/** Blocks that are new while a source follows. */
const NEW = isLong ? 20 : 8
let recording: Recording
let range: { from: number; to: number }
let expected: Awaited<ReturnType<typeof checksumsOf>>

beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  range = { from: 1, to: isLong ? 240 : 20 }
  expected = await checksumsOf({ source: endingAt(new RecordingSource(recording), range.to), range })
})
afterAll(() => recording.close())

const FAULTS = { loss: 0.1, reorder: 0.3 }

/** A source that knows nothing but the hash table's part of a global config, which names no lite server. */
async function withFullNodes<T>(
  nodes: readonly FullNodeFaults[],
  act: (
    open: (options?: Partial<FullNodeSourceOptions>) => Promise<FullNodeSource>,
    chain: ReplayChain,
    fullNodes: ReplayFullNodes,
  ) => Promise<T>,
  { head = range.to, hasShardFiles = false } = {},
): Promise<T> {
  const random = randomFrom(testSeed())
  const chain = new ReplayChain(recording, head)
  const fullNodes = await ReplayFullNodes.start({ chain, nodes, hasShardFiles, random })
  const opened: FullNodeSource[] = []
  const open = async (options: Partial<FullNodeSourceOptions> = {}) => {
    const source = await FullNodeSource.open({
      dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
      zerostateId: recording.network.zerostate,
      host: '127.0.0.1',
      log: silentLogger,
      ...(nodes[0]?.loss !== undefined && { line: damagedLine(FAULTS, random) }),
      ...options,
    })
    opened.push(source)
    return source
  }
  try {
    return await act(open, chain, fullNodes)
  } finally {
    await Promise.all(opened.map((source) => source.close()))
    await fullNodes.close()
  }
}

// A short run has the same from the tests of faults and of new blocks.
test.runIf(isLong)('the chain from genesis is indexed from full nodes alone', async () => {
  const found = await withFullNodes([{}, {}], async (open) => checksumsOf({ source: await open(), range }))
  expect(found).toEqual(expected)
})

test('a tenth lost, a third reordered, a dishonest and a silent node of three change nothing', async () => {
  const nodes = [FAULTS, { ...FAULTS, sendsFalseData: true }, { ...FAULTS, isSilent: true }]
  const found = await withFullNodes(nodes, async (open) =>
    checksumsOf({ source: await open(), range, timeoutMs: 600_000 }),
  )
  expect(found).toEqual(expected)
})

test('blocks of shards come from archive files of their own where nodes have them so', async () => {
  let seqno = range.from
  while (recording.step(seqno)!.shards.length === 0) seqno++
  const { shards, block } = recording.step(seqno)!
  const act = async (open: () => Promise<FullNodeSource>) => {
    const source = await open()
    await expect.poll(() => source.archives.load(seqno), { timeout: 30_000 }).toBeDefined()
    for (const { id } of [...shards, block])
      expect(hash('sha256', source.archives.findBlock(id)!, 'buffer')).toEqual(id.fileHash)
  }
  for (const hasShardFiles of [false, true]) await withFullNodes([{}], act, { hasShardFiles })
})

test('what full nodes do not give comes from lite servers, and the other way round', async () => {
  const scratch = await scratchDatabase()
  const part = (share: number) => Math.floor(range.to * share)
  const act = async (open: () => Promise<FullNodeSource>, chain: ReplayChain, nodes: ReplayFullNodes) => {
    const replay = await startReplay({ recording, startSeqno: chain.headSeqno })
    const { zerostate } = recording.network
    const servers = parseGlobalConfig(replay.globalConfig).liteServers
    const pool = new CheckedPool({ servers, zeroState: zerostate })
    const source = new FallbackSource(await open(), new LiteserverSource(pool, { zerostateId: zerostate }))
    const indexUpTo = async (to: number) => {
      chain.setHead(to)
      replay.setHead(to)
      await runIngest({ source, scratch, range: { from: 1, to } })
    }
    try {
      await indexUpTo(part(0.3))
      replay.setFaults({ onQuery: () => ({ kind: 'close' }) })
      await indexUpTo(part(0.9))
      replay.setFaults({})
      await nodes.close()
      await indexUpTo(range.to)
    } finally {
      await source.close()
      await replay.close()
    }
  }
  try {
    await withFullNodes([{}, {}], act, { head: part(0.3) })
    expect(Object.fromEntries(await tableChecksums(scratch.db))).toEqual(expected)
  } finally {
    await scratch.close()
  }
})

test('after kill -9 ingest goes on with the nodes that it knew, without the hash table', async () => {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'p2p-kill-'))
  const act = async (_: unknown, chain: ReplayChain, nodes: ReplayFullNodes) => {
    const replay = await startReplay({ recording, startSeqno: range.to })
    const network = join(folder, 'global.config.json')
    await writeFile(network, withDht(replay.globalConfig, nodes.dhtConfig))
    // Nobody serves it any more.
    await replay.close()
    chain.setHead(Math.floor(range.to / 2))
    const first = startProcess(scratch.url, network, folder)
    await untilIndexed(scratch, { from: 1, to: chain.headSeqno }, 120_000)
    const files = () => readdir(join(folder, 'networks'))
    await expect.poll(files, { timeout: 60_000 }).toContainEqual(expect.stringMatching(/\.full-nodes\.json$/))
    const ids = async () => (await readFullNodeReports(scratch.db)).map(({ id }) => id)
    await expect.poll(ids, { timeout: 60_000 }).toHaveLength(1)
    const [id] = await ids()
    await kill(first)
    await scratch.pool.query('truncate full_node_reports')
    nodes.hasTable = false
    chain.setHead(range.to)
    const second = startProcess(scratch.url, network, folder)
    await untilIndexed(scratch, range, 120_000)
    // What it knows of full nodes is written under the id that it had before.
    await expect
      .poll(() => readFullNodeReports(scratch.db), { timeout: 60_000 })
      .toMatchObject([{ id, report: { nodes: [{ state: 'ready' }, { state: 'ready' }] } }])
    await kill(second)
  }
  try {
    await withFullNodes([{}, {}], act)
    // The process also examines contracts, and so finds codes that others contain.
    const { codes: _, ...found } = Object.fromEntries(await tableChecksums(scratch.db))
    expect({ ...found, codes: expected['codes'] }).toEqual(expected)
  } finally {
    await scratch.close()
    await rm(folder, { recursive: true, force: true })
  }
})

/** Ingest as it is started, with full nodes alone. */
function startProcess(databaseUrl: string, network: string, dataDir: string): ChildProcess {
  const env = {
    ...process.env,
    ...{ DATABASE_URL: databaseUrl, NETWORK: network, DATA_DIR: dataDir, CHAIN_ENDS: '1' },
    ...{ SOURCE: 'p2p', INDEX_FROM: 'genesis', INGEST_PORT: '0', LOG_LEVEL: 'warn' },
  }
  const entry = join(COMPILED_ROOT, 'dist/apps/ingest/src/main.js')
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  endWithTests(child)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

test('new blocks come from broadcasts, and those that nobody broadcast are asked for', async () => {
  const metrics = createMetrics()
  const found = await withFullNodes(
    [{}, {}],
    async (open, chain) => {
      const source = await open({ observer: fullNodeObserver(metrics) })
      fullNodeMetrics(metrics, source)
      const indexed = checksumsOf({ source, range })
      for (let seqno = range.to - NEW; seqno <= range.to; seqno += 2) {
        await expect
          .poll(() => source.following.newest?.seqno, { timeout: 30_000 })
          .toBeGreaterThan(seqno - 4)
        chain.setHead(seqno)
      }
      const tables = await indexed
      expect(source.following.counts.broadcast).toBeGreaterThan(0)
      const text = await metrics.text()
      const value = (sample: string) => Number(text.split(`\nshardwalk_p2p_${sample} `)[1]?.split('\n')[0])
      for (const sample of [
        ...['bytes{direction="in"}', 'bytes{direction="out"}', 'udp{kind="inChannel"}', 'udp{kind="sent"}'],
        ...[
          'dht_lookup_seconds_count{what="address",result="found"}',
          'dht_servers',
          'members{overlay="masterchain"}',
        ],
        ...[
          'queries{kind="block",result="answered"}',
          'transfers{kind="answers"}',
          'transfers{kind="symbols"}',
        ],
        ...['block_age_seconds_count{how="broadcast"}'],
      ])
        expect(value(sample), sample).toBeGreaterThan(0)
      return tables
    },
    { head: range.to - NEW },
  )
  expect(found).toEqual(expected)
})
