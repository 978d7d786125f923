import { type BlockId, childShards, FULL_SHARD, parentShard, type ShardId } from '@shardwalk/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ShardFrontierGap, ShardWalkTooLong } from '../src/errors.ts'
import { walkBatch } from '../src/index.ts'
import type { WalkedBlock, WalkRequest } from '../src/shard-walk.ts'

/** A block graph in memory; names stand for hashes. */
class Graph {
  private readonly blocks = new Map<string, WalkedBlock>()
  loads: string[] = []

  block(seqno: number, shard: ShardId, ...prev: readonly BlockId[]): BlockId {
    const name = `${shard.toString(16)}/${seqno}/${this.blocks.size}`
    const id = { workchain: 0, shard, seqno, rootHash: pad(name), fileHash: pad(`f${name}`) }
    this.blocks.set(id.rootHash.toString('hex'), { id, prev })
    return id
  }

  readonly load = async (id: BlockId): Promise<WalkedBlock> => {
    this.loads.push(id.rootHash.toString('hex'))
    return this.blocks.get(id.rootHash.toString('hex'))!
  }

  walk(
    tops: readonly BlockId[],
    previousTops: readonly BlockId[],
    limits: Pick<WalkRequest<WalkedBlock>, 'maxShardBlocks' | 'distance'> = {},
  ) {
    return walkBatch({ tops, previousTops, load: this.load, ...limits })
  }
}

const pad = (name: string): Buffer => Buffer.concat([Buffer.from(name), Buffer.alloc(32)]).subarray(0, 32)
const [LEFT, RIGHT] = childShards(FULL_SHARD)
const ids = (blocks: readonly WalkedBlock[]) => blocks.map((block) => block.id)

test('a chain of several blocks is returned oldest first', async () => {
  const graph = new Graph()
  const old = graph.block(10, FULL_SHARD)
  const a = graph.block(11, FULL_SHARD, old)
  const b = graph.block(12, FULL_SHARD, a)
  expect(ids(await graph.walk([b], [old]))).toEqual([a, b])
})

test('an unchanged top loads nothing', async () => {
  const graph = new Graph()
  const old = graph.block(10, FULL_SHARD)
  expect(await graph.walk([old], [old])).toEqual([])
  expect(graph.loads).toEqual([])
})

test('the last block before a split is loaded once, though both children refer to it', async () => {
  const graph = new Graph()
  const old = graph.block(10, FULL_SHARD)
  const last = graph.block(11, FULL_SHARD, old)
  const left = graph.block(12, LEFT, last)
  const right = graph.block(12, RIGHT, last)
  expect(ids(await graph.walk([left, right], [old]))).toEqual([last, left, right])
  expect(graph.loads.length).toBe(3)
})

test('a merge reaches both previous tops', async () => {
  const graph = new Graph()
  const [left, right] = [graph.block(10, LEFT), graph.block(14, RIGHT)]
  const nextLeft = graph.block(11, LEFT, left)
  const merged = graph.block(15, FULL_SHARD, nextLeft, right)
  expect(ids(await graph.walk([merged], [left, right]))).toEqual([nextLeft, merged])
})

test('zerostates end the walk and are never loaded', async () => {
  const graph = new Graph()
  const zero = graph.block(0, FULL_SHARD)
  const first = graph.block(1, FULL_SHARD, zero)
  expect(ids(await graph.walk([first], []))).toEqual([first])
  expect(await graph.walk([zero], [zero])).toEqual([])
  expect(graph.loads.length).toBe(1)
})

test('a previous top that is not reached is reported as a gap', async () => {
  const graph = new Graph()
  const old = graph.block(10, FULL_SHARD)
  const zero = graph.block(0, FULL_SHARD)
  const other = graph.block(1, FULL_SHARD, zero)
  await expect(graph.walk([other], [old])).rejects.toThrow(ShardFrontierGap)
  await expect(graph.walk([other], [old])).rejects.toMatchObject({ missing: [old], retry: 'later' })
})

test('a workchain of which the masterchain names no shard any more has ended, and is no gap', async () => {
  const graph = new Graph()
  const old = graph.block(10, FULL_SHARD)
  const ended = { ...graph.block(20, FULL_SHARD), workchain: 5 }
  const next = graph.block(11, FULL_SHARD, old)
  expect(ids(await graph.walk([next], [old, ended]))).toEqual([next])
  expect(await graph.walk([], [ended])).toEqual([])
})

test('a walk that does not reach the previous tops ends at its limit', async () => {
  const graph = new Graph()
  let top = graph.block(1, FULL_SHARD, graph.block(0, FULL_SHARD))
  for (let seqno = 2; seqno <= 30; seqno++) top = graph.block(seqno, FULL_SHARD, top)
  await expect(graph.walk([top], [], { maxShardBlocks: 20 })).rejects.toThrow(ShardWalkTooLong)
  expect(graph.loads.length).toBeLessThanOrEqual(20)
  // The limit is that of one masterchain block.
  expect(await graph.walk([top], [], { maxShardBlocks: 20, distance: 2 })).toHaveLength(30)
})

test('a loader that returns another block is refused', async () => {
  const graph = new Graph()
  const [old, wrong] = [graph.block(10, FULL_SHARD), graph.block(11, LEFT)]
  const top = graph.block(11, FULL_SHARD, old)
  const load = () => graph.load(wrong)
  await expect(walkBatch({ tops: [top], previousTops: [old], load })).rejects.toThrow(/^id: asked for/)
})

test('random splits and merges: each new block once, predecessors first, nothing old', async () => {
  const moves = fc.array(fc.tuple(fc.constantFrom('grow', 'split', 'merge', 'commit'), fc.nat()), {
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(moves, async (list) => {
      const graph = new Graph()
      let tops = [graph.block(1, FULL_SHARD, graph.block(0, FULL_SHARD))]
      let previousTops: readonly BlockId[] = tops
      let fresh: BlockId[] = []
      const made = (id: BlockId) => {
        fresh.push(id)
        return id
      }
      for (const [move, pick] of [...list, ['commit', 0] as const]) {
        const top = tops[pick % tops.length]!
        const others = tops.filter((id) => id !== top)
        const sibling = others.find(
          (id) =>
            id.shard !== FULL_SHARD &&
            top.shard !== FULL_SHARD &&
            parentShard(id.shard) === parentShard(top.shard),
        )
        if (move === 'grow') tops = [...others, made(graph.block(top.seqno + 1, top.shard, top))]
        if (move === 'split')
          tops = [
            ...others,
            ...childShards(top.shard).map((shard) => made(graph.block(top.seqno + 1, shard, top))),
          ]
        if (move === 'merge' && sibling) {
          const pair = [top, sibling].sort((a, b) => (a.shard < b.shard ? -1 : 1))
          const seqno = Math.max(top.seqno, sibling.seqno) + 1
          tops = [
            ...others.filter((id) => id !== sibling),
            made(graph.block(seqno, parentShard(top.shard), ...pair)),
          ]
        }
        if (move !== 'commit') continue
        const walked = ids(await graph.walk(tops, previousTops))
        expect(new Set(walked)).toEqual(new Set(fresh))
        expect(walked.length).toBe(fresh.length)
        const position = new Map(walked.map((id, i) => [id, i]))
        for (const id of walked)
          for (const { rootHash } of (await graph.load(id)).prev)
            for (const [other, at] of position)
              if (other.rootHash.equals(rootHash)) expect(at).toBeLessThan(position.get(id)!)
        previousTops = tops
        fresh = []
      }
    }),
    { numRuns: 60 },
  )
})
