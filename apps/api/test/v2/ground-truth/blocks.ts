import { createHash } from 'node:crypto'
import { swept } from '@shardwalk/testkit/runs'
import { Cell } from '@ton/core'
import { expect, test } from 'vitest'
import { type Json, shardRoots } from '../core-reading.ts'
import { exchangesWith } from '../recorded-truth.ts'
import { type ComparedNode, type Id, shownId, signed } from './compared-node.ts'

export function blockFacts(compared: () => ComparedNode): void {
  const steps = () =>
    [2, 18, 100, 135, 160, 200, 266, 300, 356, 400, 487, 529].map(
      (seqno) => compared().recording.step(seqno)!,
    )

  test('the newest block, the zerostate and the state are those of the node', async () => {
    const [{ answer }] = exchangesWith('masterchain-info', 'liteServer.getMasterchainInfo') as [never]
    const { last, init, stateRootHash } = answer as {
      last: Id
      init: { rootHash: Buffer; fileHash: Buffer }
      stateRootHash: Buffer
    }
    expect(await compared().call('getMasterchainInfo', {})).toMatchObject({
      last: shownId(last),
      state_root_hash: stateRootHash.toString('base64'),
      init: { root_hash: init.rootHash.toString('base64'), file_hash: init.fileHash.toString('base64') },
    })
    expect(await compared().call('getConsensusBlock', {})).toMatchObject({
      consensus_block: compared().recording.last,
    })
  })

  test('lookups find the same blocks as the node', async () => {
    const lookups = exchangesWith('blocks', 'liteServer.lookupBlock')
    expect(lookups.length).toBeGreaterThan(7)
    for (const { args, answer, name } of lookups) {
      const { id, lt, utime } = args
      const by =
        lt !== undefined
          ? { lt: String(lt) }
          : utime !== undefined
            ? { unixtime: utime }
            : { seqno: id.seqno }
      const found = await compared().call('lookupBlock', {
        workchain: id.workchain,
        shard: signed(id.shard),
        ...by,
      })
      expect(found, name).toEqual(shownId(answer.id))
    }
  })

  test('shards and headers are those of the blocks themselves', async () => {
    for (const { block, shards, shardTops } of swept(steps(), 2)) {
      const { seqno } = block.id
      const listed = await compared().call<{ shards: Json[] }>('getShards', { seqno })
      expect(listed.shards, String(seqno)).toEqual(shardTops.map(shownId))
      for (const one of [block, ...shards]) {
        const { id } = one
        const place = { workchain: id.workchain, shard: signed(id.shard), seqno: id.seqno }
        expect(await compared().call('lookupBlock', place)).toEqual(shownId(id))
        expect(await compared().call('getBlockHeader', place)).toMatchObject({
          id: shownId(id),
          gen_utime: one.genUtime,
          start_lt: String(one.startLt),
          end_lt: String(one.endLt),
        })
        const { data } = await compared().call<{ data: string }>('getBlock', place)
        const fileHash = createHash('sha256').update(Buffer.from(data, 'base64')).digest()
        expect(fileHash.equals(id.fileHash)).toBe(true)
      }
    }
    for (const { args, answer } of exchangesWith('shards', 'liteServer.getAllShardsInfo')) {
      const { shards } = await compared().call<{ shards: { root_hash: string }[] }>('getShards', {
        seqno: args.id.seqno,
      })
      const roots = shardRoots(Cell.fromBoc(answer.data)[0]!)
      expect(shards.map(({ root_hash }) => root_hash)).toEqual(roots)
    }
  })

  test('proofs are the bytes that the node returned', async () => {
    for (const { args, answer, name } of exchangesWith('shards', 'liteServer.getShardBlockProof')) {
      const { workchain, shard, seqno } = args.id
      const from_seqno = answer.masterchainId.seqno
      const shown = await compared().call('getShardBlockProof', {
        workchain,
        shard: signed(shard),
        seqno,
        from_seqno,
      })
      expect(shown, name).toMatchObject({
        mc_id: shownId(answer.masterchainId),
        links: answer.links.map(({ id, proof }) => ({ id: shownId(id), proof: proof.toString('base64') })),
        mc_proof: [],
      })
    }
    let seen = 0
    for (const { answer } of exchangesWith('block-proofs', 'liteServer.getBlockProof'))
      for (const link of answer.steps) {
        if (link.kind !== 'liteServer.blockLinkForward' || seen > 8) continue
        const shown = await compared().call('getMasterchainBlockSignatures', { seqno: link.to.seqno })
        expect(shown).toMatchObject({
          id: shownId(link.to),
          signatures: link.signatures.signatures.map(({ nodeIdShort, signature }) => ({
            node_id_short: nodeIdShort.toString('base64'),
            signature: signature.toString('base64'),
          })),
        })
        seen++
      }
    expect(seen).toBeGreaterThan(4)
  })

  test('a proof from a block that does not exist says which of the two blocks is missing', async () => {
    const block = { workchain: -1, shard: String(-(2n ** 63n)), seqno: 100 }
    const missing = 'LITE_SERVER_NOTREADY: cannot find block (-1,8000000000000000)'
    await expect(compared().call('getShardBlockProof', { ...block, from_seqno: 99_999 })).rejects.toThrow(
      `500 lookup from block error: ${missing} seqno=99999`,
    )
    await expect(compared().call('getShardBlockProof', { ...block, seqno: 99_999 })).rejects.toThrow(
      `500 ${missing} seqno=99999`,
    )
  })

  test('out message queues have the lengths that the node returned', async () => {
    const { answer } = exchangesWith('queues', 'liteServer.getOutMsgQueueSizes')[0]!
    expect(await compared().call('getOutMsgQueueSize', {})).toMatchObject({
      shards: answer.shards.map(({ id, size }) => ({ id: shownId(id), size })),
      ext_msg_queue_size_limit: answer.extMsgQueueSizeLimit,
    })
  })
}
