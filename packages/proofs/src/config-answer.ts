import type { Cell } from '@shardwalk/cells'
import type { BlockId } from '@shardwalk/model'
import { sameBlock } from '@shardwalk/model'
import { LITE_MODE } from '@shardwalk/tl'
import type { ConfigParams } from '@shardwalk/tlb'
import { keyBlockConfig, openSingleProof, stateConfig } from './config.ts'
import { prove } from './errors.ts'
import { newStateHash, openBlockProof } from './proven-block.ts'

/** Fields of `liteServer.configInfo` used by the check. */
export interface ConfigAnswer {
  readonly mode: number
  readonly id: BlockId
  readonly stateProof: Buffer
  readonly configProof: Buffer
}

/**
 * Configuration proven for masterchain block `at`. With `fromKeyBlock` the answer is for a key block not
 * newer than `at`; a caller that needs the latest one must compare it with the header's
 * `prev_key_block_seqno`. Parameters that were not requested are pruned. Throws `ProofError`.
 */
export function verifyConfig(answer: ConfigAnswer, at: BlockId): ConfigParams {
  const subject = `configuration at ${at.seqno}`
  if ((answer.mode & LITE_MODE.config.fromKeyBlock) !== 0) {
    prove(answer.id.seqno <= at.seqno, subject, 'the key block is newer than the block asked for')
    const block = openBlockProof(answer.configProof, answer.id, subject)
    prove(block.header.keyBlock, subject, 'not a key block')
    return keyBlockConfig(block.root, subject)
  }
  return stateConfig(configState(answer, at, subject), subject)
}

/**
 * State after masterchain block `at`, from an answer without `fromKeyBlock`. Everything not requested is
 * pruned. Throws `ProofError`.
 */
export function configState(answer: ConfigAnswer, at: BlockId, subject: string): Cell {
  prove(sameBlock(answer.id, at), subject, 'the answer is for another block')
  // The zerostate has no block to prove it with: its root hash is that of the state.
  if (at.seqno === 0) return openSingleProof(answer.configProof, at.rootHash, subject)
  const block = openBlockProof(answer.stateProof, at, subject)
  return openSingleProof(answer.configProof, newStateHash(block.root, subject), subject)
}
