import { toContainer } from '@shardwalk/full-node'
import { BASECHAIN, MASTERCHAIN, type RawBlock } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import type { FullNodeClient } from '@shardwalk/p2p'
import { generatedChain, generatedZerostate, peerFixture, signedProof } from '@shardwalk/testkit'
import { decodeUnion, type TonNodeBroadcast, tonNodeBroadcast } from '@shardwalk/tl'
import { afterEach, expect, test } from 'vitest'
import { decodeBlockSignatures } from '../pack/block-proof-file.ts'
import { BroadcastReader } from './broadcast-reader.ts'
import { FollowedHead } from './followed-head.ts'
import { KeptBlocks } from './kept-blocks.ts'
import { KeyBlocks } from './key-blocks.ts'
import { openSigned } from './signed-link.ts'

const zerostate = generatedZerostate(MASTERCHAIN)
const blocks = [...generatedChain({ seed: 1, steps: 4 })].map(({ masterchain }) => masterchain.raw)
const closing: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((open) => open.close()))
})

/** The head as it follows from the zerostate, without any node to ask. */
function head(now?: () => number) {
  const reader = new BroadcastReader(now)
  const client = { hasPeers: false, zerostate: async () => zerostate.bytes } as unknown as FullNodeClient
  const kept = new KeptBlocks({ bytes: 64 << 20, ageMs: 60_000 })
  const read: TonNodeBroadcast[] = []
  const following = new FollowedHead({
    client,
    keyBlocks: new KeyBlocks(client, [zerostate.id]),
    blocks: kept,
    log: silentLogger,
    onProven: () => {},
    reader: {
      spend: (authority, work) => reader.spend(authority, work),
      read(broadcast, authority) {
        read.push(broadcast)
        return reader.read(broadcast, authority)
      },
    },
  })
  closing.push(following, reader)
  return { following, read, kept }
}

type Compressed = Extract<TonNodeBroadcast, { kind: 'tonNode.blockBroadcastCompressedV2' }>

function broadcastOf({ id, bytes }: RawBlock): Compressed {
  const file = signedProof({ id, bytes })
  const set = decodeBlockSignatures(file)
  if (set?.kind !== 'liteServer.signatureSet.ordinary') throw new Error('no signatures')
  return {
    ...{ kind: 'tonNode.blockBroadcastCompressedV2', id, flags: 0 },
    signatureSet: {
      kind: 'tonNode.signatureSet.ordinary',
      ccSeqno: set.catchainSeqno,
      validatorSetHash: set.validatorSetHash,
      signatures: set.signatures.map(({ nodeIdShort: who, signature }) => ({ who, signature })),
    },
    proof: openSigned({ id, proof: file }).merkleProof,
    dataCompressed: toContainer(bytes),
  }
}

test('a masterchain block is decompressed once validators are known to have signed it', async () => {
  const { following, read } = head()
  const broadcast = broadcastOf(blocks[0]!)
  const [first, ...others] = broadcast.signatureSet.signatures
  const forged = [{ ...first!, signature: Buffer.alloc(64, 7) }, ...others]
  await following.receive({ ...broadcast, signatureSet: { ...broadcast.signatureSet, signatures: forged } })
  expect([following.counts.refused, read.length]).toEqual([1, 0])
  await following.receive(broadcast)
  expect([following.counts.broadcast, read.length]).toEqual([1, 1])
  expect(following.newest).toEqual(blocks[0]!.id)
})

const recorded = peerFixture<{ readonly type: string; readonly payload: string }>('broadcast-payloads')
  .filter(({ type }) => type === 'tonNode.blockBroadcastCompressed')
  .map(({ payload }) => decodeUnion(tonNodeBroadcast, Buffer.from(payload, 'base64')))
  .filter((broadcast) => broadcast.kind === 'tonNode.blockBroadcastCompressed')

test('strangers use up their own time, and neither that of validators nor that of this thread', async () => {
  // Nothing takes time but that strangers get ever less of it.
  const { following, kept } = head(() => 0)
  const [block] = recorded
  // Of a shard: what is kept needs no signatures then.
  const shardBlock = { ...block!, id: { ...block!.id, workchain: BASECHAIN } }
  const damaged = { ...shardBlock, id: { ...shardBlock.id, fileHash: Buffer.alloc(32, 7) } }
  for (let i = 0; i < 150; i++) await following.receive(damaged)
  expect(following.counts.refused).toBe(150)
  await following.receive(shardBlock)
  expect(kept.find(shardBlock.id)).toBeUndefined()
  await following.receive(shardBlock, 'validator')
  expect(kept.find(shardBlock.id)).toBeDefined()
})

test('that the machine is busy is not charged to strangers', async () => {
  let time = 0
  // Whenever the clock is read, 300 ms have passed, in which other work was done.
  const reader = new BroadcastReader(() => (time += 300))
  closing.push(reader)
  for (let i = 0; i < 40; i++) expect(reader.spend(undefined, () => i)).toBe(i)
  for (let i = 0; i < 20; i++)
    expect((await reader.read(recorded[0]!, undefined)).id).toEqual(recorded[0]!.id)
})

test('what is read in a thread is the block with its proof and signatures', async () => {
  const reader = new BroadcastReader()
  closing.push(reader)
  expect(recorded.length).toBeGreaterThan(0)
  for (const broadcast of recorded.slice(0, 5)) {
    const block = await reader.read(broadcast, 'validator')
    expect(openSigned(block).header.seqno).toBe(broadcast.id.seqno)
    expect(block.signatures?.signatures.every(({ signature }) => signature.length === 64)).toBe(true)
  }
})
