import {
  type Answer,
  LiteServerError,
  LiteServerPool,
  parseGlobalConfig,
  type QueryOptions,
} from '@shardwalk/liteserver'
import {
  type BlockId,
  FULL_SHARD,
  formatBlockId,
  MASTERCHAIN,
  type RawAddress,
  shardContainsPrefix,
} from '@shardwalk/model'
import { type Replay, startReplay } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import type { LiteArguments, LiteFunctionName, LiteResults } from '@shardwalk/tl'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Blocks } from '../src/blocks/blocks.ts'
import type { TrustedHead } from '../src/blocks/trusted-head.ts'
import { createNodeAccess, locateResult, type NodeAccess } from '../src/index.ts'

/** Oldest masterchain block that servers without history keep. There is one shard at that time. */
const OLDEST = 450

const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
const all = [...recording.blocks()]
const kept = new Set(
  all.filter(({ mcBlockSeqno }) => mcBlockSeqno >= OLDEST).map(({ block }) => formatBlockId(block.id)),
)

/** Servers that keep the newest blocks only and, if `hasArchive`, one that has all. */
class PrunedPool extends LiteServerPool {
  hasArchive = false

  override async queryFrom<N extends LiteFunctionName>(
    name: N,
    args: LiteArguments[N],
    options: QueryOptions<N> = {},
  ): Promise<Answer<LiteResults[N]>> {
    if (name === 'liteServer.lookupBlock' && !(this.hasArchive && options.archive)) {
      const { mode, id, lt = 0n, utime = 0 } = args as LiteArguments['liteServer.lookupBlock']
      const first = all.find(
        ({ block }) => block.id.workchain === id.workchain && kept.has(formatBlockId(block.id)),
      )!.block
      if ((mode === 2 && lt < first.startLt) || (mode === 4 && utime < first.genUtime))
        return super.queryFrom(name, { mode: 1, id: first.id } as never, options)
    }
    const { id } = args as { readonly id?: BlockId }
    const isGone = name === 'liteServer.getBlockHeader' && !kept.has(formatBlockId(id!))
    if (isGone && !this.hasArchive) throw new LiteServerError('here', name, 651, 'block is not in db')
    return super.queryFrom(name, args, options)
  }
}

let replay: Replay
let pool: PrunedPool
let node: NodeAccess
const tvm = new TvmPool({ threads: 1 })
beforeAll(async () => {
  replay = await startReplay({ recording })
  const { liteServers, zeroState } = parseGlobalConfig(replay.globalConfig)
  pool = new PrunedPool({ servers: liteServers, zeroState: zeroState! })
})
beforeEach(() => {
  node = createNodeAccess({ pool, tvm, untrustedTvm: tvm })
})
afterAll(async () => {
  await pool.close()
  await tvm.close()
  await replay.close()
  await recording.close()
})

const chain = (workchain: number) => ({ workchain, shard: FULL_SHARD, seqno: 0 })
/** A block that servers without history have deleted. */
const deleted = (workchain: number) =>
  all.find(({ block, mcBlockSeqno }) => mcBlockSeqno === 440 && block.id.workchain === workchain)!.block

describe.each([MASTERCHAIN, 0])('a lookup in workchain %i of what most servers have deleted', (workchain) => {
  const block = deleted(workchain)
  const selectors = [
    { lt: block.endLt },
    // Between this block and the one before.
    { lt: block.startLt - 1n },
    { utime: block.genUtime },
  ]
  test.each(selectors)('finds the block, not the oldest that they keep, if one has it: %o', async (by) => {
    pool.hasArchive = true
    expect(await node.blocks.lookup(chain(workchain), by)).toEqual(block.id)
  })

  test.each(selectors)('is refused if none has it: %o', async (by) => {
    pool.hasArchive = false
    await expect(node.blocks.lookup(chain(workchain), by)).rejects.toMatchObject({ serverCode: 651 })
  })
})

test('before the first block nothing is found', async () => {
  pool.hasArchive = true
  for (const by of [{ lt: 1n }, { utime: 1 }])
    await expect(node.blocks.lookup(chain(MASTERCHAIN), by)).rejects.toMatchObject({
      code: 'before_first_block',
    })
})

test('around every split and merge the block of an account is found by lt and time', async () => {
  pool.hasArchive = true
  const account = 0x7777777777777777n
  let checked = 0
  for (const { block } of all) {
    const { id, prev, startLt, endLt, genUtime } = block
    const isOfAccount = id.workchain === 0 && shardContainsPrefix(id.shard, account)
    if (!isOfAccount || prev.every(({ shard }) => shard === id.shard)) continue
    const wanted = { workchain: 0, shard: account, seqno: 0 }
    for (const by of [{ lt: startLt - 1n }, { lt: startLt }, { lt: endLt }, { utime: genUtime }])
      expect(await node.blocks.lookup(wanted, by), `${formatBlockId(id)} ${Object.keys(by)}`).toEqual(id)
    checked++
  }
  expect(checked).toBeGreaterThanOrEqual(6)
})

test('a masterchain block that is found by lt or time is proven to be in the chain', async () => {
  const proven: BlockId[] = []
  const trust = { prove: async (id: BlockId) => void proven.push(id) } as Partial<TrustedHead> as TrustedHead
  const blocks = new Blocks({ client: node.client, heads: node.heads, trust })
  const { block } = recording.step(500)!
  for (const by of [{ lt: block.endLt }, { utime: block.genUtime }])
    expect(await blocks.lookup(chain(MASTERCHAIN), by)).toEqual(block.id)
  expect(proven).toEqual([block.id, block.id])
})

describe('the transaction of a message', () => {
  const address: RawAddress = { workchain: 0, hash: Buffer.alloc(32, 0x77) }
  const locate = (createdLt: bigint) =>
    locateResult(node, { source: address, destination: address, createdLt })

  test('is not found beyond the head', async () => {
    await expect(locate(1_000_000_000n)).rejects.toMatchObject({ code: 'transaction_not_found' })
  })

  test('is refused, not missing, if every server has deleted the block', async () => {
    pool.hasArchive = false
    await expect(locate(deleted(0).startLt)).rejects.toMatchObject({ serverCode: 651 })
  })

  test('is refused, not missing, if servers do not know its lt any more', async () => {
    const refusing = new Proxy(pool, {
      get: (target, key) => (key === 'queryFrom' ? refuseLookups : Reflect.get(target, key, target)),
    })
    const refuseLookups: LiteServerPool['queryFrom'] = async (name, args, options) => {
      if (name !== 'liteServer.lookupBlock') return pool.queryFrom(name, args, options)
      throw new LiteServerError('here', name, 651, 'lt not in db')
    }
    node = createNodeAccess({ pool: refusing, tvm, untrustedTvm: tvm })
    await expect(locate(deleted(0).startLt)).rejects.toMatchObject({ serverMessage: 'lt not in db' })
    await expect(locate(1_000_000_000n)).rejects.toMatchObject({ code: 'transaction_not_found' })
  })
})
