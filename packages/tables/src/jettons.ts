import type { AccountId } from '@shardwalk/model'
import {
  bool,
  brinByTime,
  bytea,
  defineTable,
  int4,
  int8,
  jsonb,
  numeric,
  text,
  textArray,
  timestamptz,
  uuid,
} from './define-table.ts'
import { type ContentJson, EVENT_KEY, ROLE_KEY, ROW_NUMBER } from './role-columns.ts'

/** Written by the examination of contracts; read by the API, analytics and the fetcher of metadata. */
export const jettonMasters = defineTable('jetton_masters', {
  comment: 'One row per jetton master (TEP-74).',
  primaryKey: ['account_id'],
  indexes: {
    jetton_masters_row_no: '(row_no)',
    jetton_masters_admin: '(admin_id) WHERE (admin_id IS NOT NULL)',
    jetton_masters_symbol: "hash (lower((content ->> 'symbol'::text)))",
    jetton_masters_airdrop: '(account_id) WHERE (airdrop_root IS NOT NULL)',
  },
  columns: {
    ...ROLE_KEY,
    ...ROW_NUMBER,
    admin_id: int8<AccountId>('The admin; null: none.').orNull(),
    mintable: bool('More can be minted.'),
    total_supply: numeric("In the jetton's smallest unit."),
    content: jsonb<ContentJson>('TEP-64 attributes by name.').orNull(),
    wallet_code_hash: bytea('Hash of the code of its wallets.'),
    airdrop_root: bytea('Mintless jettons (TEP-177): hash of the root of the list of owners.').orNull(),
  },
})

/** Written by the examination of contracts; read by the API, analytics and the classifier. */
export const jettonWallets = defineTable('jetton_wallets', {
  comment: 'One row per jetton wallet (TEP-74) that its master confirms.',
  notes: `A row with lt 0 and without \`code_hash\` is an undeployed wallet from a list of owners
(TEP-177).`,
  primaryKey: ['account_id'],
  indexes: {
    jetton_wallets_row_no: '(row_no)',
    jetton_wallets_jetton_row_no: '(jetton_id, row_no)',
    jetton_wallets_balance: '(balance)',
    jetton_wallets_jetton: '(jetton_id, account_id)',
    jetton_wallets_jetton_balance: '(jetton_id, balance)',
    jetton_wallets_owner: '(owner_id, account_id)',
    jetton_wallets_owner_balance: '(owner_id, balance)',
  },
  columns: {
    ...ROLE_KEY,
    ...ROW_NUMBER,
    owner_id: int8<AccountId>('The owner.'),
    jetton_id: int8<AccountId>('The master.'),
    is_claimed: bool('Mintless jettons: the airdrop was claimed; null: another jetton.').orNull(),
    balance: numeric("In the jetton's smallest unit."),
  },
})

/** Written by the fetcher of metadata; read by `/jetton/wallets`. */
export const mintlessClaims = defineTable('mintless_claims', {
  comment: 'Airdropped amounts that owners may claim (TEP-177).',
  notes: `Filled by the metadata process, with a row of \`jetton_wallets\` for each wallet that was never
deployed. \`jetton_wallets.is_claimed\` says whether a wallet has claimed its amount.`,
  primaryKey: ['wallet_id'],
  columns: {
    jetton_id: int8<AccountId>('The master.'),
    owner_id: int8<AccountId>('Account that may claim.'),
    wallet_id: int8<AccountId>('The wallet that would hold the amount.'),
    start_from: int8('Claimable from this time, Unix seconds.').orNull(),
    expire_at: int8('Claimable until this time, Unix seconds.').orNull(),
    amount: numeric("In the jetton's smallest unit."),
    import_no: int4('The import that wrote it last.').withDefault(),
  },
})

/** Written by the fetcher of metadata; read by `/jetton/wallets`. */
export const mintlessJettons = defineTable('mintless_jettons', {
  comment: 'Jettons with a list of owners (TEP-177), and how far each list is imported.',
  primaryKey: ['jetton_id'],
  columns: {
    jetton_id: int8<AccountId>('The master.'),
    custom_payload_api_uri: textArray('Addresses of the services that give claims to wallets.').orNull(),
    airdrop_root: bytea('Hash that the list must have; null: there is no list anymore.').orNull(),
    confirmation_hash: uuid(
      '`contracts.confirmation_hash` of the master when wallets were derived.',
    ).orNull(),
    dump_uri: text('URL of the list.').orNull(),
    import_no: int4(
      'Number of the import; a new list, or a new way to derive wallets, starts another.',
    ).withDefault(),
    entries: int8('Number of entries imported so far, in the order of the list.').withDefault(),
    imported_at: timestamptz('When the import was completed; null: not yet.').orNull(),
    due_at: timestamptz(
      'When the next attempt is due, also the lease of the current one; null: nothing to do.',
    ).orNull(),
    attempts: int4('Attempts since the last success.').withDefault(),
    fault: text('Why the last attempt failed.').orNull(),
  },
})

/** Written behind the head from `event_queue`; read by the API and analytics. */
export const jettonTransfers = defineTable('jetton_transfers', {
  comment: "One row per transaction of a sender's jetton wallet that `transfer` (TEP-74) started.",
  primaryKey: ['account_id', 'lt'],
  indexes: {
    jetton_transfers_destination: '(destination_id, lt) WHERE (confirmed AND (NOT aborted))',
    jetton_transfers_jetton: '(jetton_id, lt) WHERE (confirmed AND (NOT aborted))',
    jetton_transfers_lt: '(lt) WHERE (confirmed AND (NOT aborted))',
    jetton_transfers_now: '(now) WHERE (confirmed AND (NOT aborted))',
    jetton_transfers_source: '(source_id, lt) WHERE (confirmed AND (NOT aborted))',
    jetton_transfers_time: brinByTime('now'),
  },
  columns: {
    ...EVENT_KEY,
    source_id: int8<AccountId>('Owner of the sending wallet.'),
    destination_id: int8<AccountId>('Owner of the receiving wallet.').orNull(),
    jetton_id: int8<AccountId>('The master; null until the wallet is confirmed.').orNull(),
    amount: numeric("In the jetton's smallest unit."),
    forward_amount: numeric('Forwarded to the receiver, nanotons.'),
  },
})

/** Written behind the head from `event_queue`; read by the API and analytics. */
export const jettonBurns = defineTable('jetton_burns', {
  comment: 'One row per transaction of a jetton wallet that `burn` (TEP-74) started.',
  primaryKey: ['account_id', 'lt'],
  indexes: {
    jetton_burns_jetton: '(jetton_id, lt) WHERE confirmed',
    jetton_burns_lt: '(lt) WHERE confirmed',
    jetton_burns_now: '(now) WHERE confirmed',
    jetton_burns_owner: '(owner_id, lt) WHERE confirmed',
    jetton_burns_time: brinByTime('now'),
  },
  columns: {
    ...EVENT_KEY,
    owner_id: int8<AccountId>('Owner of the wallet.'),
    jetton_id: int8<AccountId>('The master; null until the wallet is confirmed.').orNull(),
    amount: numeric("In the jetton's smallest unit."),
  },
})
