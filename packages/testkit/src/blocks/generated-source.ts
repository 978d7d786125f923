import { type BlockId, blockKey, MASTERCHAIN } from '@shardwalk/model'
import { BlockNotAvailable, type BlockSource } from '@shardwalk/pipeline'
import type { GeneratedBlock, GeneratedStep } from './chain-options.ts'

/** A source of generated blocks, from masterchain block 1 on. */
export function generatedSource(steps: readonly GeneratedStep[]): BlockSource {
  const blocks = new Map<string, GeneratedBlock>()
  const ids = new Map<number, BlockId>()
  for (const { mcSeqno, masterchain, shards } of steps) {
    for (const block of [...shards, masterchain]) blocks.set(blockKey(block.raw.id), block)
    ids.set(mcSeqno, masterchain.raw.id)
  }
  const { zerostates } = steps[0]!
  const head = steps.at(-1)!.masterchain.raw.id
  return {
    name: 'generated',
    zerostateId: async () => zerostates.get(MASTERCHAIN)!.id,
    head: async () => head,
    async waitForMasterchain(seqno, { timeoutMs = 100, signal }) {
      if (ids.has(seqno)) return ids.get(seqno)
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        signal?.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve(undefined)
        })
      })
      return undefined
    },
    async masterchainBlockId(seqno) {
      const id = ids.get(seqno)
      if (!id) throw new BlockNotAvailable(`masterchain block ${seqno}`, 'generated')
      return id
    },
    async getBlock(id) {
      const block = blocks.get(blockKey(id))
      if (!block) throw new BlockNotAvailable(blockKey(id), 'generated')
      return block.raw.bytes
    },
    globalVersionAtKeyBlock: async () => 12,
    getZerostate: async ({ workchain }) => zerostates.get(workchain)?.bytes,
    close: async () => {},
  }
}
