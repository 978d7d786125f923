export * from '@shardwalk/tables'
export * from './actions/index.ts'
export { DATASETS } from './analytics/datasets/index.ts'
export type { Dataset, ExportType, FilterName } from './analytics/define-dataset.ts'
export { findAccounts } from './analytics/find-accounts.ts'
export { daysOf, firstSeqnoFrom, rootHashes, type SeqnoRange } from './analytics/ranges-of-days.ts'
export { countDataset, type DatasetFilters, readDataset } from './analytics/read-dataset.ts'
export type { SnapshotReading } from './analytics/read-snapshot.ts'
export { isSettled } from './analytics/settled.ts'
export { viewsPage } from './analytics/views-page.ts'
export { AnalyzeOnce } from './analyze-once.ts'
export * from './api-keys/index.ts'
export * from './archive/index.ts'
export { cancelStatement } from './cancel-statement.ts'
export { ChannelListener, type ChannelListenerOptions } from './channel-listener.ts'
export { DatabaseClock, makeDueAfterSetBack, moveDueTimes } from './clock-set-back.ts'
export { compactPartitions } from './compact-partitions.ts'
export * from './contracts/index.ts'
export { createDb, type DatabaseHandle, type DatabaseOptions, type Db } from './database.ts'
export { exhaustedBy, hasNoConnection, isDatabaseAway, isOfConnecting } from './database-away.ts'
export type * from './database-types.ts'
export * from './errors.ts'
export * from './facts/index.ts'
export { awaitDatabase } from './first-connection.ts'
export * from './grants/index.ts'
export * from './hash-filters/index.ts'
export { KEPT_PLAN } from './kept-plan.ts'
export { warnOfFewLocks } from './lock-room.ts'
export * from './metadata/index.ts'
export { migrate } from './migrate.ts'
export * from './pending/index.ts'
export { schemaOfTables } from './place-of-tables.ts'
export { findAccountIds } from './queries/accounts.ts'
export {
  CHECKED_TABLES,
  CLASSIFIED_TABLES,
  checkedRows,
  derivedTables,
  type TableChecksum,
  tableChecksums,
} from './queries/checksums.ts'
export { readDatabaseRun } from './queries/database-run.ts'
export { type DiskUse, readDiskUse } from './queries/disk-use.ts'
export { FreeSession } from './queries/free-statement.ts'
export { readFullNodeReports, writeFullNodeReport } from './queries/full-node-reports.ts'
export { hasTables } from './queries/has-tables.ts'
export { HeadFollowedMark, isHeadFollowed } from './queries/head-followed.ts'
export { blocksBehindHead } from './queries/head-lag.ts'
export { type IngestStatus, readIngestStatus, writeIngestStatus } from './queries/ingest-status.ts'
export { readLiteServers, writeLiteServers } from './queries/lite-servers.ts'
export {
  type DatabaseStatus,
  findGaps,
  findHeadRange,
  findMasterchainTime,
  listIndexedRanges,
  readStatus,
} from './queries/progress.ts'
export {
  countQuarantine,
  describeQuarantine,
  listQuarantined,
  listQuarantineReasons,
  listUndecodableMasterchain,
  type QuarantineCounts,
  totalQuarantine,
} from './queries/quarantine.ts'
export { replicaLagSeconds } from './queries/replica-lag.ts'
export { storedDifferences } from './queries/stored-differences.ts'
export * from './retention/index.ts'
export * from './rows/index.ts'
export { checkSchema, endWhenMigrated } from './schema-version.ts'
export {
  findSentMessage,
  insertSentMessage,
  type SentMessage,
  trimSentMessages,
} from './sent/sent-messages.ts'
export { readOnlySession } from './session.ts'
export { INDEXED_CHANNEL } from './sink/announce.ts'
export { BatchSink } from './sink/batch-sink.ts'
export { claimNetwork, findGlobalId, findNetwork } from './sink/network.ts'
export * from './trust/index.ts'
export * from './watch/index.ts'
export * from './webhooks/index.ts'
export { oneAtATime } from './writing/one-at-a-time.ts'
export { DEFAULT_PARTITION_WIDTH } from './writing/partitions.ts'
