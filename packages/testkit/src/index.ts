export { activeAccount } from './account.ts'
export { AccountsWithCode } from './accounts-with-code.ts'
export { believeLarge } from './believed-size.ts'
export type { ChainOptions, GeneratedBlock, GeneratedStep } from './blocks/chain-options.ts'
export { generatedChain } from './blocks/generated-chain.ts'
export { GeneratedProofs } from './blocks/generated-proofs.ts'
export { generatedRecording } from './blocks/generated-recording.ts'
export { generatedSource } from './blocks/generated-source.ts'
export { descriptionCell } from './blocks/random-description.ts'
export type { GeneratedMessage } from './blocks/random-message.ts'
export type { GeneratedTransaction } from './blocks/random-transaction.ts'
export { signedProof } from './blocks/signed-proof.ts'
export { generatedZerostate } from './blocks/zerostates.ts'
export { startBreakableLink } from './breakable-link.ts'
export { copyFolder } from './copy-folder.ts'
export { endPartition } from './end-partition.ts'
export { endWithTests } from './end-with-tests.ts'
export { callerOf, endlessTraceBatch } from './endless-trace.ts'
export { FIXTURE_CHAIN_FOLDER, type FixtureBatch, fixtureChain, fixtureZerostate } from './fixture-chain.ts'
export { FREEZE_MS, freezeServer } from './frozen-server.ts'
export {
  claimSampleNetwork,
  loadSampleChain,
  SAMPLE_CHAIN,
  sampleChainDatabase,
} from './load-sample-chain.ts'
export {
  type MintlessItem,
  mintlessEntry,
  mintlessJetton,
  mintlessWallet,
  type TestContract,
} from './mintless-jetton.ts'
export { mostAtOnce } from './most-at-once.ts'
export { multisigOrder, orderAction } from './multisig-order.ts'
export { type Pooler, startPooler } from './option-dropping-pooler.ts'
export { EXPIRED_CERTIFICATE, OWN_CERTIFICATE } from './own-certificate.ts'
export { onlyTransactions, onlyTransactionsAndAccounts } from './parts-of-blocks.ts'
export { peerFixture, TestClock } from './peer-fixtures.ts'
export { prepareDataDir, preparedFolder } from './prepared-folder.ts'
export { randomFrom, shuffled } from './random.ts'
export { hasRedisServer, type RedisServer, startRedis } from './redis-server.ts'
export { ACTIVITY_FROM_ROWS, repartition } from './repartition.ts'
export { ROLE_PASSWORDS, urlOfRole } from './role-urls.ts'
export { type ScratchDatabase, scratchDatabase } from './scratch-database.ts'
export { sharedForks } from './shared-forks.ts'
export { type Point, quantile, settledGrowth } from './slope.ts'
export { openSlowLink, type SlowLink } from './slow-link.ts'
export { copyPrimary, startPrimary, startStandby } from './standby.ts'
export { syntheticAddress, syntheticChain } from './synthetic-chain.ts'
export { MIGRATED, type Template } from './template.ts'
export { threadPriorities } from './thread-priorities.ts'
export { unreadableBlock } from './unreadable-block.ts'
export { Verdicts } from './verdicts.ts'
export { waitFor } from './wait-for.ts'
export { indexColumns, wholeScansIn } from './whole-scans.ts'
export { withHeaderOnly } from './with-header-only.ts'
