import type { Cell } from '@shardwalk/cells'
import type { BlockId, PreviousBlocks } from '@shardwalk/model'
import { configGlobalVersion, loadShardState, loadStateKeyBlocks } from '@shardwalk/tlb'
import { stateConfig } from './config.ts'
import { type ConfigAnswer, configState } from './config-answer.ts'
import { prove, proving } from './errors.ts'
import { findOldMasterchainBlock } from './masterchain-state.ts'

/**
 * Contracts also see every hundredth block since. Source: node, mc-config.cpp
 * `ConfigInfo::get_prev_blocks_info`.
 */
const GLOBAL_VERSION_OF_HUNDREDS = 9
const COUNT = 16

/**
 * Previous blocks visible to contracts as of masterchain block `at`, from the state after it. The answer must
 * include configuration parameter 8. Throws `ProofError`. Source: node, mc-config.cpp
 * `ConfigInfo::get_prev_blocks_info`.
 */
export function verifyPreviousBlocks(answer: ConfigAnswer, at: BlockId): PreviousBlocks {
  const subject = `previous blocks at ${at.seqno}`
  const root = configState(answer, at, subject)
  const blockAt = (seqno: number): BlockId => {
    if (seqno === at.seqno) return at
    const found = findOldMasterchainBlock({ root }, seqno, subject)
    prove(found !== undefined, subject, `block ${seqno} is missing`)
    return found.id
  }
  return {
    last: countDown(at.seqno, 1).map(blockAt),
    key: lastKeyBlock(root, at, subject),
    ...(showsHundreds(root, subject) && {
      hundreds: countDown(at.seqno - (at.seqno % 100), 100).map(blockAt),
    }),
  }
}

const countDown = (from: number, step: number): readonly number[] =>
  Array.from({ length: Math.min(COUNT, Math.floor(from / step) + 1) }, (_, i) => from - i * step)

function showsHundreds(state: Cell, subject: string): boolean {
  const config = stateConfig(state, subject)
  return proving(subject, () => (configGlobalVersion(config)?.version ?? 0) >= GLOBAL_VERSION_OF_HUNDREDS)
}

function lastKeyBlock(state: Cell, at: BlockId, subject: string): BlockId {
  return proving(subject, () => {
    const { custom } = loadShardState(state.slice())
    prove(custom !== undefined, subject, 'not a masterchain state')
    const { afterKeyBlock, lastKeyBlock } = loadStateKeyBlocks(custom.loadRefSlice())
    if (afterKeyBlock) return at
    prove(lastKeyBlock !== undefined, subject, 'the state names no key block')
    return lastKeyBlock
  })
}
