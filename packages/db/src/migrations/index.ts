import type { Migration } from 'kysely'
import * as initial from './20261123000000_initial.ts'
import * as rowNumbers from './20261123010000_row_numbers.ts'
import * as contractsByState from './20261123020000_contracts_by_state.ts'
import * as partitionsOfOwner from './20261123030000_partitions_of_owner.ts'
import * as namingQueue from './20261123040500_naming_queue.ts'
import * as queueIndexes from './20261123040600_queue_indexes.ts'
import * as analytics from './20261123041000_analytics.ts'
import * as analyticsIndexes from './20261123041100_analytics_indexes.ts'
import * as webhooks from './20261123042000_webhooks.ts'
import * as retention from './20261123060000_retention.ts'
import * as jettonBalances from './20261123070000_jetton_balances.ts'
import * as formerWallets from './20261123070100_former_wallets.ts'
import * as autovacuum from './20261123080000_autovacuum.ts'
import * as pendingTraces from './20261123090000_pending_traces.ts'
import * as tracePieces from './20261123091000_trace_pieces.ts'
import * as symbols from './20261123092000_symbols.ts'
import * as awaitedMessages from './20261123093000_awaited_messages.ts'
import * as watch from './20261123094000_watch.ts'
import * as fullNodeReports from './20261123095000_full_node_reports.ts'
import * as liteServers from './20261123095100_lite_servers.ts'
import * as linkedHashes from './20261123100000_linked_hashes.ts'
import * as shardTops from './20261123101000_shard_tops.ts'
import * as actionIndexes from './20261123102000_action_indexes.ts'
import * as shortActionIds from './20261123102100_short_action_ids.ts'
import * as accountActivity from './20261123110000_account_activity.ts'
import * as packedDetails from './20261123120000_packed_details.ts'
import * as archive from './20261124000000_archive.ts'
import * as externalHashes from './20261125000000_external_hashes.ts'
import * as externalList from './20261125000100_external_list.ts'
import * as webhookLanes from './20261126010000_webhook_lanes.ts'
import * as externalColumns from './20261127000000_external_columns.ts'
import * as externalLists from './20261127000100_external_lists.ts'
import * as externalIn from './20261127000200_external_in.ts'
import * as hashFilters from './20261128000000_hash_filters.ts'
import * as messagesByKey from './20261128010000_messages_by_key.ts'
import * as pairsInFilters from './20261128020000_pairs_in_filters.ts'
import * as actionLists from './20261129000000_action_lists.ts'
import * as untouchedContracts from './20261129010000_untouched_contracts.ts'
import * as actionRows from './20261129020000_action_rows.ts'
import * as actionBytes from './20261129030000_action_bytes.ts'
import * as formerSecrets from './20261129040000_former_secrets.ts'
import * as dnsAuctions from './20261130000000_dns_auctions.ts'
import * as accountsOfCode from './20261130010000_accounts_of_code.ts'
import * as accountsInNoOrder from './20261130010100_accounts_in_no_order.ts'
import * as unknownVersions from './20261130020000_unknown_versions.ts'
import type { OnlineIndex } from './online-index.ts'

/** Indexes for large tables, which are built outside transactions while others read and write. */
export interface OnlineMigration {
  readonly online: readonly OnlineIndex[]
}

/** By name; they run in the order of their names. */
export type Migrations = Readonly<Record<string, Migration | OnlineMigration>>

/**
 * By name, in order of execution. A migration stands alone: it imports neither the definitions of tables,
 * which change later, nor other code of the application. `test/schema.int.test.ts` compares what all of them
 * make with the definitions.
 */
export const MIGRATIONS: Migrations = {
  '20261123000000_initial': initial,
  '20261123010000_row_numbers': rowNumbers,
  '20261123020000_contracts_by_state': contractsByState,
  '20261123030000_partitions_of_owner': partitionsOfOwner,
  '20261123040500_naming_queue': namingQueue,
  '20261123040600_queue_indexes': queueIndexes,
  '20261123041000_analytics': analytics,
  '20261123041100_analytics_indexes': analyticsIndexes,
  '20261123042000_webhooks': webhooks,
  '20261123060000_retention': retention,
  '20261123070000_jetton_balances': jettonBalances,
  '20261123070100_former_wallets': formerWallets,
  '20261123080000_autovacuum': autovacuum,
  '20261123090000_pending_traces': pendingTraces,
  '20261123091000_trace_pieces': tracePieces,
  '20261123092000_symbols': symbols,
  '20261123093000_awaited_messages': awaitedMessages,
  '20261123094000_watch': watch,
  '20261123095000_full_node_reports': fullNodeReports,
  '20261123095100_lite_servers': liteServers,
  '20261123100000_linked_hashes': linkedHashes,
  '20261123101000_shard_tops': shardTops,
  '20261123102000_action_indexes': actionIndexes,
  '20261123102100_short_action_ids': shortActionIds,
  '20261123110000_account_activity': accountActivity,
  '20261123120000_packed_details': packedDetails,
  '20261124000000_archive': archive,
  '20261125000000_external_hashes': externalHashes,
  '20261125000100_external_list': externalList,
  '20261126010000_webhook_lanes': webhookLanes,
  '20261127000000_external_columns': externalColumns,
  '20261127000100_external_lists': externalLists,
  '20261127000200_external_in': externalIn,
  '20261128000000_hash_filters': hashFilters,
  '20261128010000_messages_by_key': messagesByKey,
  '20261128020000_pairs_in_filters': pairsInFilters,
  '20261129000000_action_lists': actionLists,
  '20261129010000_untouched_contracts': untouchedContracts,
  '20261129020000_action_rows': actionRows,
  '20261129030000_action_bytes': actionBytes,
  '20261129040000_former_secrets': formerSecrets,
  '20261130000000_dns_auctions': dnsAuctions,
  '20261130010000_accounts_of_code': accountsOfCode,
  '20261130010100_accounts_in_no_order': accountsInNoOrder,
  '20261130020000_unknown_versions': unknownVersions,
}
