import { decodeSkeleton } from '@shardwalk/blocks'
import { type BlockId, MASTERCHAIN, masterchainId, type RawBlock } from '@shardwalk/model'
import type { FullNodeClient } from '@shardwalk/p2p'
import { generatedChain, generatedZerostate, signedProof } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { decodeBlockSignatures, encodeBlockProof } from '../pack/block-proof-file.ts'
import { FullNodeProofs } from './full-node-proofs.ts'
import { KeyBlocks } from './key-blocks.ts'
import { openSigned } from './signed-link.ts'

const zerostate = generatedZerostate(MASTERCHAIN)
const blocks = [...generatedChain({ seed: 1, steps: 6, keyBlocks: 0 })].map(
  ({ masterchain }) => masterchain.raw,
)
const opened = ({ id, bytes }: RawBlock) => openSigned({ id, proof: signedProof({ id, bytes }) })

test('validators sign no block after the key block that ended their time', async () => {
  const client = { zerostate: async () => zerostate.bytes } as unknown as FullNodeClient
  const signed = blocks[4]!
  expect((await new KeyBlocks(client, [zerostate.id]).prove(opened(signed))).to).toEqual(signed.id)
  const later = { ...masterchainId(3), rootHash: Buffer.alloc(32, 3), fileHash: Buffer.alloc(32, 3) }
  const keyBlocks = new KeyBlocks(client, [zerostate.id, later])
  await expect(keyBlocks.prove(opened(signed))).rejects.toThrow('prev_key_block_seqno')
  // What they signed before is as good as it was.
  expect((await keyBlocks.prove(opened(blocks[1]!))).to).toEqual(blocks[1]!.id)
})

test('a node whose proof has other signatures is passed over', async () => {
  const target = blocks[4]!
  const good = signedProof(target)
  const set = decodeBlockSignatures(good)!
  const signatures = set.signatures.map((one) => ({ ...one, signature: Buffer.alloc(64, 7) }))
  const bad = encodeBlockProof(target.id, opened(target).merkleProof, { ...set, signatures })
  const client = {
    zerostate: async () => zerostate.bytes,
    async blockProof<T>(_id: unknown, read: (proof: Buffer) => T | Promise<T>): Promise<T> {
      return Promise.resolve(read(bad)).catch(() => read(good))
    },
  } as unknown as FullNodeClient
  const proofs = new FullNodeProofs(client, new KeyBlocks(client, [zerostate.id]))
  const asked = { knownBlock: zerostate.id, targetBlock: target.id }
  const { value } = await proofs.queryFrom('liteServer.getBlockProof', asked)
  const honest = await new KeyBlocks(client, [zerostate.id]).prove(opened(target))
  expect(value.steps).toEqual([honest])
})

test('the key block of an earlier start leaves out none for a proof that begins before it', async () => {
  const keys = [...generatedChain({ seed: 2, steps: 6, keyBlocks: 1 })].map(
    ({ masterchain }) => masterchain.raw,
  )
  const proofOf = ({ seqno }: BlockId) => signedProof(keys[seqno - 1]!)
  let refused = 0
  const answer = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      refused++
      throw error
    }
  }
  const client = {
    zerostate: async () => zerostate.bytes,
    blockProof: async (id, read) => answer(() => read(proofOf(id))),
    keyBlockProof: async (id, read) => answer(() => read(proofOf(id))),
    async nextKeyBlocks({ seqno }, begin) {
      const read = begin()
      return answer(() => keys.slice(seqno, seqno + 2).map(({ id }) => read(id, proofOf(id))))
    },
  } satisfies Partial<FullNodeClient> as unknown as FullNodeClient
  const remembered = keys[3]!.id
  const proofs = new FullNodeProofs(client, new KeyBlocks(client, [zerostate.id], remembered))
  const ask = async (from: BlockId, to: BlockId) => {
    const asked = { knownBlock: from, targetBlock: to }
    const { value } = await proofs.queryFrom('liteServer.getBlockProof', asked)
    return value.steps.map((step) => step.to.seqno)
  }
  // That of the source may be newer than that of whoever proves the chain.
  expect(await ask(zerostate.id, keys[5]!.id)).toEqual([1, 2, 3, 4, 5, 6])
  expect(await ask(keys[1]!.id, keys[4]!.id)).toEqual([3, 4, 5])
  expect(refused).toBe(0)
})

test('over every change of validators key blocks are found, and what others signed is refused', async () => {
  const steps = [
    ...generatedChain({
      ...{ seed: 93, steps: 40, accounts: 2, transactions: 1, keyBlocks: 0.6, validatorChanges: 0.9 },
    }),
  ]
  const isKey = ({ masterchain }: (typeof steps)[number]) => decodeSkeleton(masterchain.raw).header.keyBlock
  const keys = steps.filter(isKey)
  const fileOf = ({ seqno }: BlockId, { validators } = steps[seqno - 1]!) =>
    signedProof(steps[seqno - 1]!.masterchain.raw, { validators })
  const client = {
    zerostate: async () => zerostate.bytes,
    blockProof: async (id, read) => read(fileOf(id)),
    keyBlockProof: async (id, read) => read(fileOf(id)),
    async nextKeyBlocks({ seqno }, begin) {
      const read = begin()
      const next = keys.map(({ masterchain }) => masterchain.raw.id).filter((id) => id.seqno > seqno)
      return next.slice(0, 3).map((id) => read(id, fileOf(id)))
    },
  } satisfies Partial<FullNodeClient> as unknown as FullNodeClient
  const committees = new Set(steps.map(({ validators }) => validators.listHash))
  expect(committees.size).toBeGreaterThan(10)
  const walked = new KeyBlocks(client, [zerostate.id])
  await walked.extend()
  expect(walked.newest).toEqual(keys.at(-1)!.masterchain.raw.id)
  let refused = 0
  for (const [i, step] of steps.entries()) {
    const { id } = step.masterchain.raw
    const fresh = i % 8 === 7 ? [new KeyBlocks(client, [zerostate.id])] : []
    for (const keyBlocks of [walked, ...fresh]) {
      expect((await keyBlocks.prove(openSigned({ id, proof: fileOf(id) }))).to).toEqual(id)
      for (const other of [steps[i - 1], steps[i + 1]]) {
        if (!other || other.validators.listHash === step.validators.listHash) continue
        refused++
        const forged = keyBlocks.prove(openSigned({ id, proof: fileOf(id, other) }))
        await expect(forged).rejects.toMatchObject({ code: 'proof_failed' })
      }
    }
  }
  expect(refused).toBeGreaterThan(40)
})
