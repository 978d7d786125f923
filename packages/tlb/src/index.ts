export { type Account, loadAccount, loadShardAccount, type ShardAccount } from './account.ts'
export {
  type BlockExtra,
  type BlockInfo,
  loadBlock,
  loadBlockExtra,
  loadBlockInfo,
  loadBlockInfoOf,
} from './block.ts'
export {
  type ForwardPrices,
  forwardPrices,
  type GasPrices,
  gasPrices,
  storagePrices,
} from './config-prices.ts'
export {
  buildExtraCurrencies,
  type CurrencyCollection,
  countCurrencies,
  currencyLimit,
  loadCurrencyCollection,
  loadExtraCurrenciesDict,
  skipCurrencyCollection,
  storeCurrencyCollection,
} from './currency.ts'
export { forEachInMsg, forEachOutMsg, loadInMsg } from './descriptors.ts'
export { dnsRootOf } from './dns-root.ts'
export { isFundamental } from './fundamental-contracts.ts'
export { loadExtBlkRef, toBlockId } from './ids.ts'
export {
  type ConfigParams,
  configGlobalVersion,
  findConfigParam,
  findVersionParam,
  loadConfigParams,
  loadMcBlockExtra,
  loadShardFees,
  MC_BLOCK_EXTRA_TAG,
  type McBlockExtra,
} from './mc-block-extra.ts'
export { loadMessage } from './message.ts'
export { ACTION_SEND_MSG } from './out-action.ts'
export {
  BOUNCE_TYPE,
  DESCRIPTION_BIT,
  packDescription,
  SKIP_REASON,
  unpackDescription,
} from './packed-description.ts'
export { rebuildAccount } from './rebuild-account.ts'
export { rebuildMessage } from './rebuild-message.ts'
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
  SHARD_STATE_TAG,
  type ShardState,
  SPLIT_STATE_TAG,
} from './shard-state.ts'
export { loadStateInit, measureStateInit, type StateInitRefs } from './state-init.ts'
export { isSuspended, namesSuspended } from './suspended-addresses.ts'
export { loadHashUpdate, loadTransaction, type TransactionMemo, transactionMemo } from './transaction.ts'
export { loadValueFlow } from './value-flow.ts'
export { workchainZerostates } from './workchains.ts'
