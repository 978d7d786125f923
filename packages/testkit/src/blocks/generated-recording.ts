import { type BlockId, blockKey, MASTERCHAIN, type RawBlock } from '@shardwalk/model'
import { BlockNotAvailable, type BlockSource } from '@shardwalk/pipeline'
import { type ProofSource, Recording, record } from '@shardwalk/sources'
import type { ChainOptions, GeneratedStep } from './chain-options.ts'
import { generatedChain } from './generated-chain.ts'
import { signedProof } from './signed-proof.ts'
import type { Zerostates } from './zerostates.ts'

/** Steps of which the blocks are kept: recording begins to read so many ahead. */
const KEPT_STEPS = 64

/**
 * Writes a generated chain to a folder, with the validators' signatures of every masterchain block. `chain`:
 * that of the options if it was generated already.
 */
export async function generatedRecording(
  folder: string,
  options: ChainOptions & { readonly steps: number },
  chain: Iterable<GeneratedStep> = generatedChain(options),
): Promise<Recording> {
  await record({
    source: generatingSource(options, chain[Symbol.iterator]()),
    folder,
    from: 1,
    to: options.steps,
    proofs: 'all',
  })
  return Recording.open(folder)
}

/** Generates as it is read, which has to happen nearly in order. */
function generatingSource(
  options: ChainOptions,
  chain: Iterator<GeneratedStep, void>,
): BlockSource & ProofSource {
  const ids = new Map<number, BlockId>()
  const kept: (readonly RawBlock[])[] = []
  const proofs = new Map<string, Buffer>()
  const blocks = new Map<string, Buffer>()
  let zerostates: Zerostates | undefined
  const next = () => {
    const { value: step } = chain.next()
    if (!step) throw new RangeError('the chain ends')
    zerostates = step.zerostates
    const raw = [...step.shards, step.masterchain].map((block) => block.raw)
    for (const { id, bytes } of raw) blocks.set(blockKey(id), bytes)
    ids.set(step.mcSeqno, step.masterchain.raw.id)
    const isSimplex = step.mcSeqno >= (options.simplexFrom ?? Number.POSITIVE_INFINITY)
    const { raw: signed } = step.masterchain
    proofs.set(blockKey(signed.id), signedProof(signed, { isSimplex, validators: step.validators }))
    kept.push(raw)
    if (kept.length > KEPT_STEPS) for (const { id } of kept.shift()!) blocks.delete(blockKey(id))
  }
  const zerostate = (workchain: number) => {
    if (!zerostates) next()
    return zerostates!.get(workchain)
  }
  const head = () => Promise.reject(new BlockNotAvailable('head', 'generated'))
  return {
    name: 'generated',
    head,
    waitForMasterchain: head,
    zerostateId: async () => zerostate(MASTERCHAIN)!.id,
    async masterchainBlockId(seqno) {
      while (!ids.has(seqno)) next()
      return ids.get(seqno)!
    },
    async getBlock(id) {
      const bytes = blocks.get(blockKey(id))
      if (bytes) return bytes
      throw new BlockNotAvailable(blockKey(id), 'generated')
    },
    blockProof: async (id) => proofs.get(blockKey(id)),
    globalVersionAtKeyBlock: async () => 12,
    getZerostate: async ({ workchain }) => zerostate(workchain)?.bytes,
    close: async () => {},
  }
}
