import { type BlockId, type ShortBlockId, shardContains } from '@shardwalk/model'
import { prove } from './errors.ts'
import { openBlockProof, type ProvenBlock } from './proven-block.ts'

/** How a block is looked up. Source: lite_api.tl `liteServer.lookupBlock`, mode bits 0 to 2. */
export type BlockSelector = { readonly seqno: number } | { readonly lt: bigint } | { readonly utime: number }

/** Fields of `liteServer.blockHeader` used by the check. */
export interface LookupAnswer {
  readonly id: BlockId
  readonly headerProof: Buffer
}

/**
 * Checks an answer to `lookupBlock`: the header belongs to the id, lies in the requested workchain and shard
 * chain, and matches the selector. Does not prove that it is the first such block or part of the chain. The
 * found shard may be narrower or wider than the requested one, because shards split and merge. Throws
 * `ProofError`.
 */
export function verifyLookup(
  { id, headerProof }: LookupAnswer,
  wanted: Pick<ShortBlockId, 'workchain' | 'shard'>,
  selector: BlockSelector,
): ProvenBlock {
  const block = openBlockProof(headerProof, id, 'lookup')
  const { header } = block
  const isNear = shardContains(id.shard, wanted.shard) || shardContains(wanted.shard, id.shard)
  prove(id.workchain === wanted.workchain && isNear, 'lookup', 'a block of another shard than asked for')
  if ('seqno' in selector) prove(header.seqno === selector.seqno, 'lookup', 'another seqno than asked for')
  if ('lt' in selector) prove(header.endLt >= selector.lt, 'lookup', 'the block ends before the lt')
  if ('utime' in selector)
    prove(header.genUtime >= selector.utime, 'lookup', 'the block is older than the time')
  return block
}
