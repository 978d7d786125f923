import { type Cell, openMerkleProof, parseBoc, parseRoot, type Slice } from '@shardwalk/cells'
import {
  type ConfigParams,
  loadConfigParams,
  MC_BLOCK_EXTRA_TAG,
  SHARD_STATE_TAG,
  skipCurrencyCollection,
} from '@shardwalk/tlb'
import { prove, proving } from './errors.ts'

/** Proven tree of a bag with one Merkle proof as root; read its hashes at level 0. Throws `ProofError`. */
export function openSingleProof(boc: Buffer, expectedHash: Buffer, subject: string): Cell {
  return proving(subject, () => {
    return openMerkleProof(parseRoot(boc), expectedHash)
  })
}

/** Opens a bag with two Merkle proofs, of a block and of its state. Neither is checked against an id. */
export function openProofPair(boc: Buffer, subject: string): readonly [Cell, Cell] {
  return proving(subject, () => {
    const bag = parseBoc(boc, { expectedRoots: 2 })
    const [first, second] = bag.roots
    return [openMerkleProof(bag.cell(first as number)), openMerkleProof(bag.cell(second as number))]
  })
}

/**
 * Configuration of a key block; shard hashes and fees may be pruned. Source: block.tlb
 * `masterchain_block_extra#cca5`.
 */
export function keyBlockConfig(block: Cell, subject: string): ConfigParams {
  return proving(subject, () => {
    // loadBlock would also open the value flow, which proofs prune.
    const extra = block
      .slice()
      .skipRefs(3)
      .loadRefSlice()
      .skip(32 + 256 + 256)
      .skipRefs(3)
    prove(extra.loadBit(), subject, 'the block has no masterchain extra')
    const mcExtra = extra.loadRefSlice()
    prove(mcExtra.loadUint(16) === MC_BLOCK_EXTRA_TAG, subject, 'unknown masterchain extra')
    prove(mcExtra.loadBit(), subject, 'not a key block')
    skipMaybeRef(mcExtra)
    skipMaybeRef(mcExtra)
    skipCurrencyCollection(mcExtra)
    skipCurrencyCollection(mcExtra)
    return loadConfigParams(mcExtra.skipRefs(1))
  })
}

/** Configuration of a masterchain state; everything else may be pruned. */
export function stateConfig(state: Cell, subject: string): ConfigParams {
  return proving(subject, () => {
    const extra = stateExtra(state, subject)
    skipMaybeRef(extra)
    return loadConfigParams(extra)
  })
}

/** Slice of `McStateExtra` after its tag; other parts of the state may be pruned. */
export function stateExtra(state: Cell, subject: string): Slice {
  const slice = state.slice()
  prove(slice.loadUint(32) === SHARD_STATE_TAG, subject, 'not an unsplit shard state')
  // Skips global_id to min_ref_mc_seqno (328 bits) and before_split.
  prove(slice.skip(329).loadBit(), subject, 'not a masterchain state')
  const extra = slice.skipRefs(3).loadRefSlice()
  prove(extra.loadUint(16) === 0xcc26, subject, 'unknown masterchain state extra')
  return extra
}

/** Skips a `Maybe ^X`. */
export function skipMaybeRef(slice: Slice): void {
  if (slice.loadBit()) slice.skipRefs(1)
}
