import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlockId } from '@shardwalk/model'
import type { BlockSource, WaitOptions } from '@shardwalk/pipeline'
import { formatEntryName } from '../pack/names.ts'
import { PackWriter } from '../pack/pack-writer.ts'
import { fetchBlock } from './fetch-step.ts'
import { type BlockJson, parseBlockIdJson, type StepJson } from './format.ts'

/** A source that also has signatures. */
export interface ProofSource {
  /**
   * Proof file (header proof and signatures) of a masterchain block; `keyBlock` is the key block before it.
   * Undefined if unavailable. Not verified.
   */
  blockProof(id: BlockId, keyBlock: BlockId, options?: WaitOptions): Promise<Buffer | undefined>
}

/**
 * `key-blocks`: key blocks and the last block, enough to prove the end of the recording. `all`: every
 * masterchain block.
 */
export type ProofChoice = 'key-blocks' | 'all' | 'none'

const PROOFS_FILE = 'proofs.000.pack'

/** Writes the proofs of a finished recording, omitting unavailable ones. Returns their number. */
export async function recordProofs(
  source: BlockSource & Partial<ProofSource>,
  folder: string,
  steps: readonly StepJson[],
  choice: ProofChoice,
): Promise<number> {
  if (!source.blockProof || choice === 'none') return 0
  const path = join(folder, PROOFS_FILE)
  const writer = await PackWriter.create(`${path}.part`)
  let written = 0
  try {
    let keyBlock = await keyBlockBefore(source, steps[0]!.seqno)
    for (const { block } of steps) {
      const id = idOf(block)
      const wanted = choice === 'all' || block.key_block || block === steps.at(-1)!.block
      const proof = wanted ? await source.blockProof(id, keyBlock) : undefined
      if (proof) await writer.append(formatEntryName('proof', id), proof)
      if (proof) written++
      if (block.key_block) keyBlock = id
    }
  } finally {
    await writer.close()
  }
  await rename(`${path}.part`, path)
  return written
}

/** The preceding key block; the zerostate counts as one. */
async function keyBlockBefore(source: BlockSource, seqno: number): Promise<BlockId> {
  if (seqno === 1) return source.zerostateId()
  const { skeleton } = await fetchBlock(source, await source.masterchainBlockId(seqno))
  const key = skeleton.header.prevKeyBlockSeqno
  return key === 0 ? source.zerostateId() : source.masterchainBlockId(key)
}

const idOf = (block: BlockJson): BlockId => parseBlockIdJson(block, 'block')
