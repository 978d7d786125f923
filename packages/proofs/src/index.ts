export { type AccountStateAnswer, type ProvenAccount, verifyAccountState } from './account-state.ts'
export { type BlockLink, BlockProofChecker, validatorKeys, verifyProgress } from './block-proof.ts'
export { keyBlockConfig, openProofPair, openSingleProof, stateConfig } from './config.ts'
export { verifyConfig } from './config-answer.ts'
export { FormNotKnown, ProofError, prove } from './errors.ts'
export { verifyLibrary } from './libraries.ts'
export { type BlockSelector, type LookupAnswer, verifyLookup } from './lookup.ts'
export { verifyOutMsgQueueSize } from './out-msg-queue.ts'
export { verifyPreviousBlocks } from './previous-blocks.ts'
export { newStateHash, openBlockProof, type ProvenBlock } from './proven-block.ts'
export { verifyShardBlockProof } from './shard-block-proof.ts'
export { verifyShardTops } from './shards.ts'
export type { SignatureSet } from './signatures.ts'
export { verifyTransactionList } from './transaction-list.ts'
export {
  loadCatchainConfig,
  loadValidatorSet,
  type Validator,
  type ValidatorSubset,
  validatorSubset,
} from './validator-set.ts'
