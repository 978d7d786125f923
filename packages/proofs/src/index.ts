export { type AccountStateAnswer, type ProvenAccount, verifyAccountState } from './account-state.ts'
export {
  type BlockLink,
  BlockProofChecker,
  type PartialBlockProof,
  validatorKeys,
  verifyProgress,
} from './block-proof.ts'
export { keyBlockConfig, openProofPair, openSingleProof, stateConfig } from './config.ts'
export { type ConfigAnswer, verifyConfig } from './config-answer.ts'
export { FormNotKnown, ProofError, prove, proving } from './errors.ts'
export { type LibrariesAnswer, verifyLibrary } from './libraries.ts'
export { type BlockSelector, type LookupAnswer, verifyLookup } from './lookup.ts'
export { findOldMasterchainBlock, type ProvenState, proveStateOf } from './masterchain-state.ts'
export { type OutMsgQueueSizeAnswer, verifyOutMsgQueueSize } from './out-msg-queue.ts'
export { verifyPreviousBlocks } from './previous-blocks.ts'
export { newStateHash, openBlockProof, type ProvenBlock, provenBlock } from './proven-block.ts'
export { type ShardBlockProofAnswer, verifyShardBlockProof } from './shard-block-proof.ts'
export { type AllShardsAnswer, findShardTop, verifyShardTops } from './shards.ts'
export { type BlockSignature, type SignatureSet, verifySignatureSet } from './signatures.ts'
export {
  type ListedTransaction,
  type TransactionListAnswer,
  verifyTransactionList,
} from './transaction-list.ts'
export {
  type CatchainConfig,
  loadCatchainConfig,
  loadValidatorSet,
  type Validator,
  type ValidatorSet,
  type ValidatorSubset,
  validatorSubset,
} from './validator-set.ts'
