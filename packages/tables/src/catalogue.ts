import {
  accountData,
  accounts,
  codes,
  hiddenCurrencies,
  latestAccountStates,
  stateParts,
} from './accounts.ts'
import { actionAccounts, actions, classificationFailures } from './actions.ts'
import { archivedPartitions } from './archive.ts'
import { blocks } from './blocks.ts'
import {
  contractClaims,
  contractData,
  contractMethods,
  contracts,
  dnsZones,
  eventQueue,
  formerContracts,
  missingStates,
  namingQueue,
  networkConfig,
  refreshQueue,
} from './contracts.ts'
import type { RowOf } from './define-table.ts'
import { fullNodeReports } from './full-nodes.ts'
import { hashFilterBits, hashFilters } from './hash-filters.ts'
import { jettonBurns, jettonTransfers, mintlessClaims, mintlessJettons } from './jettons.ts'
import { messages } from './messages.ts'
import {
  addressMetadata,
  addressMetadataFlags,
  metadataFetcher,
  metadataOverrides,
  metadataQueue,
} from './metadata.ts'
import { nftTransfers } from './nfts.ts'
import { pendingTraces } from './pending.ts'
import { indexedRanges, ingestStatus, network, quarantine } from './progress.ts'
import { ROLES } from './roles.ts'
import { sentMessages } from './sent-messages.ts'
import { askedFacts, changedFacts, tracePieces, traces, unclassifiedTraces } from './traces.ts'
import { transactions } from './transactions.ts'
import { apiKeys, linkedRanges, proofConflicts, provedBlock, trustedKeyBlocks } from './trust.ts'
import { partialRanges, undecidedTraces, watched, watchPass } from './watch.ts'
import { webhookAccounts, webhookOutbox, webhookSecrets, webhooks } from './webhooks.ts'

/** Every table of the database, in the order of docs/schema.md. */
export const TABLE_TOPICS = [
  {
    topic: 'The chain',
    tables: [
      accounts,
      blocks,
      transactions,
      messages,
      latestAccountStates,
      codes,
      accountData,
      stateParts,
      hiddenCurrencies,
    ],
  },
  { topic: 'Progress', tables: [indexedRanges, quarantine, ingestStatus, fullNodeReports, network] },
  { topic: 'Finished partitions', tables: [hashFilters, hashFilterBits, archivedPartitions] },
  { topic: 'What is watched', tables: [watched, partialRanges, undecidedTraces, watchPass] },
  {
    topic: 'Traces and actions',
    tables: [
      traces,
      tracePieces,
      unclassifiedTraces,
      changedFacts,
      askedFacts,
      actions,
      actionAccounts,
      classificationFailures,
    ],
  },
  {
    topic: 'Contracts',
    tables: [
      refreshQueue,
      namingQueue,
      missingStates,
      contracts,
      contractMethods,
      contractData,
      contractClaims,
      formerContracts,
      dnsZones,
      networkConfig,
      eventQueue,
    ],
  },
  {
    topic: 'Roles of contracts',
    tables: ROLES,
  },
  {
    topic: 'Token events and airdrops',
    tables: [jettonTransfers, jettonBurns, nftTransfers, mintlessClaims, mintlessJettons],
  },
  {
    topic: 'Metadata',
    tables: [addressMetadata, addressMetadataFlags, metadataOverrides, metadataQueue, metadataFetcher],
  },
  {
    topic: 'Trust, keys and sent messages',
    tables: [
      trustedKeyBlocks,
      provedBlock,
      linkedRanges,
      proofConflicts,
      apiKeys,
      sentMessages,
      pendingTraces,
    ],
  },
  { topic: 'Webhooks', tables: [webhooks, webhookSecrets, webhookAccounts, webhookOutbox] },
] as const

/** Every definition, by the name of its table. */
export const TABLES = Object.fromEntries(
  TABLE_TOPICS.flatMap(({ tables }) => tables.map((table) => [table.name, table])),
) as Tables

/** All definitions, by name of the table. */
export type Tables = { readonly [T in AnyTable as T['name']]: T }

type AnyTable = (typeof TABLE_TOPICS)[number]['tables'][number]

/** Names of all tables. */
export type TableName = keyof Tables

/** A row as read. */
export type Row<Name extends TableName> = RowOf<Tables[Name]>
