// Blocks.

// States.
export {
  type Account,
  type AccountState,
  loadAccount,
  loadShardAccount,
  type ShardAccount,
} from './account.ts'
export {
  type BlockExtra,
  type BlockInfo,
  type BlockParts,
  loadBlock,
  loadBlockExtra,
  loadBlockInfo,
  loadBlockInfoOf,
} from './block.ts'
// Configuration.
export {
  type ForwardPrices,
  forwardPrices,
  type GasPrices,
  gasPrices,
  type StoragePrice,
  storagePrices,
} from './config-prices.ts'
// Money.
export {
  buildExtraCurrencies,
  type CurrencyCollection,
  countCurrencies,
  currencyLimit,
  loadCurrencyCollection,
  loadExtraCurrencies,
  loadExtraCurrenciesDict,
  skipCurrencyCollection,
  storeCurrencyCollection,
} from './currency.ts'
// Transactions and messages.
export { loadDescription } from './description.ts'
// Message descriptors.
export {
  forEachInMsg,
  forEachOutMsg,
  type InMsg,
  type InMsgKind,
  loadInMsg,
  loadOutMsg,
  type OutMsg,
  type OutMsgKind,
} from './descriptors.ts'
export { loadMsgEnvelope, type MsgEnvelope, type MsgMetadata } from './envelope.ts'
export { isFundamental } from './fundamental-contracts.ts'
export { type ExtBlkRef, loadExtBlkRef, loadShardIdent, toBlockId } from './ids.ts'
export {
  type ConfigParams,
  configGlobalVersion,
  findConfigParam,
  loadConfigParams,
  loadMcBlockExtra,
  loadShardFees,
  type McBlockExtra,
  type ShardFee,
} from './mc-block-extra.ts'
export { loadMessage } from './message.ts'
export { normalizedHash } from './normalized-hash.ts'
export { ACTION_SEND_MSG } from './out-action.ts'
export {
  BOUNCE_TYPE,
  DESCRIPTION_BIT,
  packDescription,
  SKIP_REASON,
  unpackDescription,
} from './packed-description.ts'
export { type AccountParts, rebuildAccount } from './rebuild-account.ts'
export { type InternalMessageParts, rebuildMessage } from './rebuild-message.ts'
export { loadShardDescr, loadShardHashes } from './shard-hashes.ts'
export {
  findOldMcBlock,
  findShardAccount,
  forEachShardAccount,
  loadMcStateExtra,
  loadShardState,
  loadShardStateRest,
  loadStateConfig,
  loadStateKeyBlocks,
  type McStateExtra,
  SHARD_STATE_TAG,
  type ShardState,
  type ShardStateRest,
  SPLIT_STATE_TAG,
} from './shard-state.ts'
export { loadStateInit, measureStateInit, type StateInitRefs, type StateInitSize } from './state-init.ts'
export { isSuspended } from './suspended-addresses.ts'
export { loadHashUpdate, loadTransaction, type TransactionMemo, transactionMemo } from './transaction.ts'
export { loadValueFlow, type ValueFlow } from './value-flow.ts'
export { workchainZerostates } from './workchains.ts'
