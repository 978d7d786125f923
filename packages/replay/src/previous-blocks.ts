import type { BlockId, PreviousBlocks } from '@shardwalk/model'
import type { ReplayChain } from './chain.ts'

/** Source: node, mc-config.cpp, `ConfigInfo::get_prev_blocks_info`. */
const COUNT = 16

/** What contracts see of the masterchain at a block. The zerostate counts as a key block. */
export function previousBlocks(chain: ReplayChain, seqno: number): PreviousBlocks {
  const { first, network } = chain.recording
  const at = (wanted: number): BlockId => (wanted === 0 ? network.zerostate : chain.masterchain(wanted).id)
  const isKnown = (wanted: number) => wanted >= first || wanted === 0
  const back = (from: number, step: number): readonly BlockId[] =>
    Array.from({ length: COUNT }, (_, index) => from - index * step)
      .filter(isKnown)
      .map(at)
  let key = seqno
  while (key >= first && !chain.masterchain(key).keyBlock) key--
  return { last: back(seqno, 1), key: at(Math.max(key, 0)), hundreds: back(seqno - (seqno % 100), 100) }
}
