import { masterchainId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import type { AskOptions, LiteClient } from '../lite-client.ts'
import { BlockProofs } from './block-proofs.ts'
import type { Blocks } from './blocks.ts'

const idOf = (seqno: number) => ({
  ...masterchainId(seqno),
  rootHash: Buffer.alloc(32, seqno),
  fileHash: Buffer.alloc(32, seqno),
})

test.each<[string, (proofs: BlockProofs) => Promise<unknown>]>([
  ['signatures', (proofs) => proofs.signatures(100)],
  ['links of a shard block', (proofs) => proofs.shardBlock({ ...idOf(7), workchain: 0 }, idOf(100))],
])('proofs are asked of servers that have the newest block in them: %s', async (_, prove) => {
  const asked: (AskOptions | undefined)[] = []
  const ask = async (_name: string, _args: unknown, _verify: unknown, options?: AskOptions) => {
    asked.push(options)
    throw new Error('enough')
  }
  const blocks = { masterchain: async (seqno: number) => idOf(seqno) }
  const proofs = new BlockProofs({ ask } as unknown as LiteClient, blocks as unknown as Blocks)
  await expect(prove(proofs)).rejects.toThrow('enough')
  expect(asked).toEqual([{ mcBlockSeqno: 100 }])
})

test('links back from a masterchain block are asked of servers that have it', async () => {
  const asked: [string, AskOptions | undefined][] = []
  const ask = async (name: string, _args: unknown, _verify: unknown, options?: AskOptions) => {
    asked.push([name, options])
    if (name === 'liteServer.getShardBlockProof') return { masterchainId: idOf(90), links: [] }
    throw new Error('enough')
  }
  const proofs = new BlockProofs({ ask } as unknown as LiteClient, {} as Blocks)
  await expect(proofs.shardBlock({ ...idOf(7), workchain: 0 }, idOf(100))).rejects.toThrow('enough')
  expect(asked[1]).toEqual(['liteServer.getBlockProof', { mcBlockSeqno: 100 }])
})
