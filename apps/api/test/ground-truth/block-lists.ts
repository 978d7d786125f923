import type { BlockReply } from '@shardwalk/api-schema'
import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type Case, type ComparedChain, eachFilter, readings, type Sort } from './compared-chain.ts'
import type { ExpectedBlock } from './expected-chain.ts'
import { base64, hashes, sortTransactions } from './orders.ts'

const rootHashes = (blocks: readonly ExpectedBlock[]) => blocks.map((b) => b.rootHash.toString('base64'))
const blockRoots = (rows: readonly Json[]) => rows.map((row) => row['root_hash'])
const signed = (shard: bigint) => BigInt.asIntN(64, shard)

const BLOCK_CASES: readonly Case<ExpectedBlock>[] = [
  ['nothing', () => ({}), () => true],
  ['workchain', () => ({ workchain: 0 }), (b) => b.workchain === 0],
  ['shard', () => ({ workchain: -1, shard: '8000000000000000' }), (b) => b.workchain === -1],
  [
    'seqno',
    () => ({ workchain: 0, shard: '0x8000000000000000', seqno: 33 }),
    (b) => b.workchain === 0 && b.shard === 2n ** 63n && b.seqno === 33,
  ],
  ['mc_seqno', () => ({ mc_seqno: 230 }), (b) => b.mcBlockSeqno === 230],
  ['mc_seqno that is not indexed', () => ({ mc_seqno: 100000 }), () => false],
  [
    'root hash',
    (of) => ({ root_hash: of.blocks[77]!.rootHash.toString('hex') }),
    (b, of) => b === of.blocks[77],
  ],
  [
    'file hash',
    (of) => ({ file_hash: of.blocks[78]!.fileHash.toString('base64') }),
    (b, of) => b === of.blocks[78],
  ],
  [
    'period',
    (of) => ({ start_utime: of.time(0.3), end_utime: of.time(0.5) }),
    (b, of) => b.genUtime >= of.time(0.3) && b.genUtime <= of.time(0.5),
  ],
  [
    'range of start_lt',
    (of) => ({ start_lt: of.lt(0.3), end_lt: of.lt(0.6) }),
    (b, of) => b.startLt >= of.lt(0.3) && b.startLt <= of.lt(0.6),
  ],
  [
    'period and range of start_lt',
    (of) => ({ workchain: 0, start_utime: of.time(0.2), end_lt: of.lt(0.6) }),
    (b, of) => b.workchain === 0 && b.genUtime >= of.time(0.2) && b.startLt <= of.lt(0.6),
  ],
]

const blockOrder = (sort: Sort) => {
  const sign = sort === 'asc' ? 1 : -1
  return (a: ExpectedBlock, b: ExpectedBlock) =>
    (a.genUtime - b.genUtime) * sign ||
    a.workchain - b.workchain ||
    Number(signed(a.shard) > signed(b.shard)) - Number(signed(a.shard) < signed(b.shard)) ||
    (a.seqno - b.seqno) * sign
}

type BlockJson = ReturnType<(typeof BlockReply)['parse']>

export function blockLists(chain: () => ComparedChain): void {
  eachFilter({ list: 'blocks', cases: BLOCK_CASES }, chain, async (query, matches) => {
    const { client, truth } = chain()
    const expected = rootHashes(truth.blocks.filter(matches).sort(blockOrder(query.sort)))
    for (const { limit, most } of isLong ? [{ limit: 1000 }, { limit: 41 }] : readings(expected.length))
      expect(blockRoots(await client.all('blocks', 'blocks', query, limit, most))).toEqual(
        expected.slice(0, most),
      )
    const middle = await client.get('blocks', { ...query, limit: 3, offset: 2 })
    expect(blockRoots(middle.body['blocks'] as Json[])).toEqual(expected.slice(2, 5))
  })

  test('masterchainInfo returns the ends of the indexed range', async () => {
    const { body } = await chain().client.get<{ last: BlockJson; first: BlockJson }>('masterchainInfo')
    expect([body.first.seqno, body.last.seqno]).toEqual([1, 529])
    expect(body.last).toEqual(chain().truth.blocks.find((b) => b.workchain === -1 && b.seqno === 529)!.json)
  })

  test('masterchainBlockShards are the blocks that the masterchain block commits', async () => {
    for (const seqno of [1, 100, 230, 529]) {
      const rows = (await chain().client.get('masterchainBlockShards', { seqno, limit: 1000 })).body[
        'blocks'
      ] as Json[]
      expect(new Set(blockRoots(rows))).toEqual(
        new Set(rootHashes(chain().truth.blocks.filter((b) => b.mcBlockSeqno === seqno))),
      )
    }
  })

  test('masterchainBlockShardState has the newest block of each shard, transactions by lt', async () => {
    for (const seqno of isLong ? [3, 100, 230, 400, 529] : [3, 230, 529]) {
      const state = chain().truth.shardStates.get(seqno)!
      const reply = await chain().client.get('masterchainBlockShardState', { seqno, limit: 1000 })
      const sorted = [...state].sort(
        (a, b) => a.workchain - b.workchain || (signed(a.shard) < signed(b.shard) ? -1 : 1),
      )
      expect(blockRoots(reply.body['blocks'] as Json[])).toEqual(rootHashes(sorted))
      const transactions = sortTransactions(
        state.flatMap((b) => b.transactions),
        'asc',
      )
      expect(hashes(reply.body['transactions'] as Json[])).toEqual(base64(transactions))
      expect(
        hashes(await chain().client.all('masterchainBlockShardState', 'transactions', { seqno }, 2)),
      ).toEqual(base64(transactions))
    }
  })
}
