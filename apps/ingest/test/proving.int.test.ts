import { Builder, parseRoot, serializeBoc, sha256 } from '@shardwalk/cells'
import { ChainConflict, ChainProver, refuseKnownConflict } from '@shardwalk/chain-prover'
import { findProvedRange, listConflicts, listTrustedKeyBlocks } from '@shardwalk/db'
import { repair } from '@shardwalk/indexing'
import { type Answer, LiteServerPool, parseGlobalConfig, type QueryOptions } from '@shardwalk/liteserver'
import { type BlockId, sameBlock } from '@shardwalk/model'
import { createMetrics, silentLogger } from '@shardwalk/observability'
import { type Replay, startReplay } from '@shardwalk/replay'
import { LiteserverSource, Recording } from '@shardwalk/sources'
import {
  FIXTURE_CHAIN_FOLDER,
  type ScratchDatabase,
  sampleChainDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import type { LiteArguments, LiteFunctionName, LiteResults } from '@shardwalk/tl'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runIngest } from './run-ingest.ts'

const LAST = 529
const KEY_BLOCKS = 19

type Proof = LiteResults['liteServer.getBlockProof']
type Forge = (proof: Proof) => Proof

/** A pool in which one server's proofs are forged in transit. */
class ForgingPool extends LiteServerPool {
  forge: Forge | undefined
  dishonest = ''
  readonly reports: string[] = []
  asked = 0

  override async queryFrom<N extends LiteFunctionName>(
    name: N,
    args: LiteArguments[N],
    options?: QueryOptions<N>,
  ): Promise<Answer<LiteResults[N]>> {
    if (name !== 'liteServer.getBlockProof') return super.queryFrom(name, args, options)
    this.asked++
    // The dishonest server is asked as long as it is trusted.
    const first = this.forge && this.reports.length === 0 ? { server: this.dishonest } : {}
    const answer = await super.queryFrom(name, args, { ...options, ...first })
    if (!this.forge || answer.server !== this.dishonest) return answer
    return { ...answer, value: this.forge(answer.value as Proof) as LiteResults[N] }
  }

  override report(server: string, reason: string): void {
    this.reports.push(`${server}: ${reason}`)
    super.report(server, reason)
  }
}

let recording: Recording
let replays: Replay[]
let indexed: ScratchDatabase
let pool: ForgingPool
let source: LiteserverSource
const stopping = new AbortController()

const servers = () => replays.flatMap((replay) => parseGlobalConfig(replay.globalConfig).liteServers)
const zeroState = () => parseGlobalConfig(replays[0]!.globalConfig).zeroState!

beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  replays = await Promise.all([1, 2].map((byte) => startReplay({ recording, seed: Buffer.alloc(32, byte) })))
  indexed = await sampleChainDatabase()
})
afterAll(async () => {
  stopping.abort()
  await indexed.close()
  await Promise.all(replays.map((replay) => replay.close()))
  await recording.close()
})

/** What proving writes. */
const PROOF_TABLES = ['proved_block', 'linked_ranges', 'trusted_key_blocks', 'proof_conflicts']
/** Whether what a complete proof wrote is kept, because walking over all signatures takes long. */
let hasCopies = false

beforeEach(async () => {
  pool = new ForgingPool({ servers: servers(), zeroState: zeroState() })
  pool.dishonest = servers()[0]!.name
  source = new LiteserverSource(pool, { zerostateId: zeroState() })
  await pool.getMasterchainInfo()
  await indexed.pool.query(PROOF_TABLES.map((table) => `delete from ${table}`).join(';'))
})
afterEach(() => pool.close())

const proving = (onConflict: (conflict: ChainConflict) => void = () => {}) =>
  new ChainProver({
    db: indexed.db,
    pool,
    source,
    anchors: [zeroState()],
    log: silentLogger,
    onConflict,
    everyMs: 10,
  })

/** Runs until everything is proven. */
async function proveAll(own = proving()): Promise<ChainProver> {
  for (let look = 0; look < 20 && own.proved?.from !== 1; look++) await own.step(stopping.signal)
  return own
}

/** As after `proveAll` in a process that has ended. */
async function proven(): Promise<void> {
  if (!hasCopies) await proveAll()
  await copyProof()
}

/** Keeps what the first proof wrote; afterwards, writes it again. */
async function copyProof(): Promise<void> {
  const statements = PROOF_TABLES.map((table) =>
    hasCopies
      ? `insert into ${table} select * from ${table}_copy`
      : `create table ${table}_copy as table ${table}`,
  )
  await indexed.pool.query(statements.join(';'))
  hasCopies = true
}

test('signatures lead from the zerostate to block 529, and references from there to block 1', async () => {
  const { proved } = await proveAll()
  expect(proved).toEqual({ from: 1, to: LAST })
  expect(await findProvedRange(indexed.db)).toMatchObject({ from: 1, to: LAST })
  const keys = await listTrustedKeyBlocks(indexed.db)
  expect(keys).toHaveLength(KEY_BLOCKS)
  expect(keys.every((id) => recording.step(id.seqno)!.block.id.rootHash.equals(id.rootHash))).toBe(true)
  await copyProof()
})

test('a restart continues from the last key block', async () => {
  await proven()
  await indexed.pool.query('delete from proved_block')
  pool.asked = 0
  await proving().step(stopping.signal)
  expect(pool.asked).toBe(1)
  expect(await findProvedRange(indexed.db)).toMatchObject({ from: 1, to: LAST })
})

test('while ingest runs, its own walk links the blocks and nothing is fetched again', async () => {
  const scratch = await scratchDatabase()
  const last = isLong ? LAST : 30
  for (const replay of replays) replay.setHead(last)
  // Servers whose head went back are not asked.
  const pool = new LiteServerPool({ servers: servers(), zeroState: zeroState() })
  const source = new LiteserverSource(pool, { zerostateId: zeroState() })
  try {
    const registry = createMetrics()
    const before = replays.map((replay) => replay.queryCounts.get('liteServer.getBlock') ?? 0)
    await runIngest({
      source,
      scratch,
      range: { from: 1, to: last },
      options: {
        metrics: registry,
        proving: { pool, anchors: [zeroState()], onConflict: () => {}, everyMs: 20 },
      },
      until: async () => {
        const range = await findProvedRange(scratch.db)
        return range?.from === 1 && range.to === last
      },
    })
    expect(await registry.text()).toContain(`shardwalk_proved_mc_seqno ${last}`)
    const fetched = replays.reduce(
      (sum, replay, at) => sum + (replay.queryCounts.get('liteServer.getBlock') ?? 0) - before[at]!,
      0,
    )
    const { rows } = await scratch.pool.query<{ count: bigint }>('select count(*) from blocks')
    // The block before a range is fetched for its frontier, a few blocks are used by two jobs, and on a busy
    // machine a second server is asked for some. A proof that fetched its blocks would double the number.
    expect(fetched).toBeLessThan(Number(rows[0]!.count) * 1.5)
  } finally {
    for (const replay of replays) replay.setHead(LAST)
    await pool.close()
    await scratch.close()
  }
})

test('a server that forges a proof is reported, and the proof of another one used', async () => {
  pool.forge = (proof) => ({ ...proof, steps: [...proof.steps].reverse() })
  const { proved } = await proveAll()
  expect(proved).toEqual({ from: 1, to: LAST })
  expect(pool.reports).toEqual([expect.stringContaining(`${pool.dishonest}: false block proof`)])
})

async function withFalseBlock(seqno: number, check: () => Promise<void>): Promise<void> {
  const set = 'update blocks set root_hash = $2 where workchain = -1 and seqno = $1'
  await indexed.pool.query(set, [seqno, Buffer.alloc(32, 0xfa)])
  try {
    await check()
  } finally {
    await indexed.pool.query(set, [seqno, recording.step(seqno)!.block.id.rootHash])
  }
}

for (const [where, seqno] of [
  ['the newest block', LAST],
  ['a key block on the way', 489],
  ['a block between', 333],
] as const)
  test(`a false ${where}: the run ends, and the evidence has the right block`, async () => {
    await withFalseBlock(seqno, async () => {
      const conflicts: ChainConflict[] = []
      await proving((conflict) => conflicts.push(conflict)).run(stopping.signal)
      expect(conflicts[0]).toBeInstanceOf(ChainConflict)
      const [stored] = await listConflicts(indexed.db)
      expect(stored!.proven).toEqual(recording.step(seqno)!.block.id)
      expect(stored!.stored.rootHash).toEqual(Buffer.alloc(32, 0xfa))
      await expect(refuseKnownConflict(indexed.db)).rejects.toThrow(ChainConflict)
    })
    await refuseKnownConflict(indexed.db)
  })

/** The same block with other random bytes: consistent, with the right predecessor, but not signed. */
async function forgedBlock(seqno: number): Promise<{ id: BlockId; bytes: Buffer }> {
  const { block } = recording.step(seqno)!
  const root = parseRoot(await recording.read(block))
  const extra = root.refs[3]!.slice()
  const forgedExtra = new Builder().storeUint(extra.loadUint(32), 32).storeBytes(Buffer.alloc(32, 0xfa))
  forgedExtra.storeSlice(extra.skip(256))
  const forged = new Builder()
    .storeSlice(root.slice().loadPart(64, 3))
    .storeRef(forgedExtra.endCell())
    .endCell()
  const bytes = serializeBoc(forged)
  return { bytes, id: { ...block.id, rootHash: forged.hash(), fileHash: sha256(bytes) } }
}

test('a consistent forged block is detected by the reference in the next block', async () => {
  const forged = await forgedBlock(333)
  const set = 'update blocks set root_hash = $2, file_hash = $3 where workchain = -1 and seqno = $1'
  const getBlock = source.getBlock.bind(source)
  source.getBlock = (id, options) =>
    sameBlock(id, forged.id) ? Promise.resolve(forged.bytes) : getBlock(id, options)
  await indexed.pool.query(set, [333, forged.id.rootHash, forged.id.fileHash])
  try {
    await expect(proveAll()).rejects.toMatchObject({
      stored: forged.id,
      proven: recording.step(333)!.block.id,
    })
  } finally {
    const { rootHash, fileHash } = recording.step(333)!.block.id
    await indexed.pool.query(set, [333, rootHash, fileHash])
  }
})

test('a proven block that was replaced is detected', async () => {
  await proven()
  await withFalseBlock(LAST, () => expect(proving().step(stopping.signal)).rejects.toThrow(ChainConflict))
})

test('a repaired range is compared and proven again', async () => {
  await proven()
  const options = { source, database: indexed, log: silentLogger, signal: stopping.signal, decodeThreads: 1 }
  await repair({ from: 100, to: 110 }, options)
  expect(await findProvedRange(indexed.db)).toMatchObject({ from: 112, to: LAST })
  const { proved } = await proveAll()
  expect(proved).toEqual({ from: 1, to: LAST })
})

test('servers without proofs make blocks unprovable for now, nothing worse', async () => {
  const bare = new LiteServerPool({ servers: servers(), zeroState: zeroState() })
  const own = new ChainProver({
    db: indexed.db,
    pool: bare,
    source,
    // A block unknown to the servers, which refuse it with -400.
    anchors: [{ ...zeroState(), rootHash: Buffer.alloc(32, 5) }],
    log: silentLogger,
    onConflict: () => {},
  })
  await expect(own.step(stopping.signal)).rejects.toMatchObject({ code: 'not_provable_now' })
  await bare.close()
})
