import type { AccountId } from '@shardwalk/model'
import { bool, bytea, defineTable, int2, int4, int8, jsonb, text, timestamptz } from './define-table.ts'

const TOKEN = {
  account_id: int8<AccountId>('The token.'),
  type: int2('0 item, 1 collection, 2 jetton master.'),
}

/** Written by the fetcher of metadata; read by the API. */
export const addressMetadata = defineTable('address_metadata', {
  comment: "Values of a token's metadata document, cleaned.",
  primaryKey: ['account_id', 'type'],
  indexes: { address_metadata_symbol: 'hash (lower(symbol))' },
  columns: {
    ...TOKEN,
    updated_at: timestamptz('When it was fetched.'),
    expires_at: timestamptz('When it is fetched again.'),
    valid: bool('False: the document has nothing usable.'),
    source_hash: bytea('SHA-256 of the content on the chain that it was fetched for.'),
    name: text('Name.').orNull(),
    symbol: text('Symbol of a jetton.').orNull(),
    description: text('Description.').orNull(),
    image: text('Address of the image.').orNull(),
    extra: jsonb<Readonly<Record<string, unknown>>>('All other fields of the document.').orNull(),
  },
})

/** Written by the operator; read by the API, the explorer and analytics. */
export const addressMetadataFlags = defineTable('address_metadata_flags', {
  comment: 'Accounts that the operator marked.',
  primaryKey: ['account_id'],
  columns: {
    account_id: int8<AccountId>('The account.'),
    is_nsfw: bool('Not safe for work.').withDefault(),
    is_scam: bool('Fraud.').withDefault(),
  },
})

/** Written by the operator; read when metadata is fetched and by analytics. */
export const metadataOverrides = defineTable('metadata_overrides', {
  comment: 'Content that the operator sets instead of on-chain content.',
  primaryKey: ['account_id', 'type'],
  columns: {
    ...TOKEN,
    updated_at: timestamptz('When it was changed last.').withDefault(),
    content: jsonb<Readonly<Record<string, unknown>>>('TEP-64 attributes by name.'),
    note: text('Where it comes from.').orNull(),
  },
})

/** Written by the fetcher of metadata and by replies that lack a name; emptied by the fetcher. */
export const metadataQueue = defineTable('metadata_queue', {
  comment: 'Tokens whose metadata is to be fetched.',
  primaryKey: ['account_id', 'type'],
  indexes: { metadata_queue_due: '(priority, due_at)' },
  columns: {
    ...TOKEN,
    due_at: timestamptz(
      'When it is due; a process that takes it puts this off, so that it becomes due again if the process ' +
        'dies.',
    ),
    attempts: int4('Number of attempts started.').withDefault(),
    priority: int2('Lower is sooner.'),
    source_hash: bytea('SHA-256 of the content on the chain when it was queued.'),
    fault: text('Why the last attempt failed.').orNull(),
  },
})

/** Written by the fetcher of metadata; read by the API. */
export const metadataFetcher = defineTable('metadata_fetcher', {
  comment:
    'One row: when a process that fetches metadata was seen last. Readers queue nothing when none runs.',
  primaryKey: ['id'],
  columns: {
    seen_at: timestamptz('When it was seen.'),
    id: int4('Always 1.'),
  },
})
