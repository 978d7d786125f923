import type { AccountId, Lt, McBlockSeqno, Workchain } from '@shardwalk/model'
import {
  bool,
  bytea,
  defineTable,
  int2,
  int4,
  int4Array,
  int8,
  int8Array,
  numeric,
  text,
  timestamptz,
  uuid,
} from './define-table.ts'

export const refreshQueue = defineTable('refresh_queue', {
  comment: 'Accounts whose contracts are to be examined.',
  notes: `Filled in the transaction that writes a batch, emptied in the one that writes what was found.`,
  primaryKey: ['account_id'],
  indexes: {
    refresh_queue_fresh: '(lt) WHERE (leased_until IS NULL)',
    refresh_queue_leased: '(leased_until) WHERE (leased_until IS NOT NULL)',
  },
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>('Of the last transaction before its newest state.'),
    leased_until: timestamptz('End of the lease of the process that examines it; null: none does.').orNull(),
    attempts: int4('Number of examinations started.').withDefault(),
    requeues: int4(
      'Times that the entry was queued again; a result found before that does not remove it.',
    ).withDefault(),
  },
})

/** Written and emptied by the examination of contracts. */
export const namingQueue = defineTable('naming_queue', {
  comment: 'Contracts that changed and whose naming contracts are still to be queued, page by page.',
  notes: `Only for contracts with many of them, such as a master with thousands of wallets.`,
  primaryKey: ['named_id', 'source'],
  columns: {
    named_id: int8<AccountId>('The contract that changed.'),
    source: int2('0 jetton wallets, 1 NFT items, 2 multisig orders, 3 claims, 4 claims with missing states.'),
    after: numeric('Key of the last row that was queued: the account, or the index of the NFT item.'),
  },
})

/** Written by the examination of contracts; counted by `shardwalk status` and the status page. */
export const missingStates = defineTable('missing_states', {
  comment: 'Contracts that cannot be examined with what is indexed.',
  notes: `They are in no queue. They are queued again when a block has something new about them or a
contract they refer to, when their library appears, and, if there are lite servers, every ten minutes.`,
  primaryKey: ['account_id'],
  indexes: {
    missing_states_since: '(since)',
    missing_states_what: '("left"(what, 80) COLLATE "C", since)',
  },
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>('Of the last transaction before its newest state.'),
    since: timestamptz('When it was set aside.').withDefault(),
    what: text('What is missing: `[cell <hash> of the ]state of <address>` or `library <hash>`.'),
  },
})

/** Written by the examination of contracts: a claim waits here for its other side. */
export const contractClaims = defineTable('contract_claims', {
  comment: 'Contracts that were asked to confirm others, where no row of a role names them.',
  notes: `When a master, a collection or a multisig appears or changes, contracts that refer to it are
examined again.`,
  primaryKey: ['named_id', 'account_id'],
  indexes: { contract_claims_account: '(account_id)' },
  columns: {
    named_id: int8<AccountId>('The id derived from the address that is named, indexed or not.'),
    account_id: int8<AccountId>('The contract that names it.'),
  },
})

/** Written by the examination of contracts; read by it, the classifier and the API. */
export const contracts = defineTable('contracts', {
  comment: 'Every account that was examined, except plain wallets: they have no role.',
  primaryKey: ['account_id'],
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>('Of the last transaction before the examined state.'),
    roles: int4('Bit i: the account has a row in the i-th table of `ROLE_TABLES`.'),
    code_hash: bytea('Hash of its code; null: not active.').orNull(),
    data_hash: bytea('Hash of its data; null: not active.').orNull(),
    confirmation_hash: uuid(
      'Hash of what confirms other contracts: its code, its jetton wallet code, its collection content.',
    ).orNull(),
  },
})

/** Written by the examination of contracts; read by the API. */
export const contractMethods = defineTable('contract_methods', {
  comment: 'Get-methods of a code, once per code.',
  primaryKey: ['code_hash'],
  columns: {
    code_hash: bytea('Hash of the code cell.'),
    methods: int4Array('Method ids.'),
  },
})

/** Written by the examination of contracts; read by the API and the classifier. */
export const contractData = defineTable('contract_data', {
  comment: 'Data cells that no block carried complete: of the newest state, or the last active one.',
  primaryKey: ['account_id'],
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>(
      'Of the last transaction before that state; less if that was false and its block was repaired.',
    ),
    data_hash: bytea('Hash of the data cell.'),
    boc: bytea('The data as a bag of cells.'),
  },
})

/** Written by the examination of contracts; read by lists of events and balances of the past. */
export const formerContracts = defineTable('former_contracts', {
  comment: 'Accounts that no longer exist, as of their last active state.',
  notes: `Token events and actions must not change when a sale, an item or a pool is destroyed, so the
facts they use are kept. Active accounts have no row.`,
  primaryKey: ['account_id'],
  indexes: { former_contracts_jetton: '(jetton_id, wallet_owner_id) WHERE (jetton_id IS NOT NULL)' },
  columns: {
    account_id: int8<AccountId>('The account.'),
    lt: int8<Lt>('Of the last transaction before the last active state.'),
    jetton_id: int8<AccountId>('Jetton wallet: its master.').orNull(),
    collection_id: int8<AccountId>('NFT item: its collection.').orNull(),
    is_nominator_pool: bool('It was a nominator pool.').withDefault(),
    wallet_owner_id: int8<AccountId>('Jetton wallet: its owner.').orNull(),
    code_hash: bytea('Item, sale or auction: hash of its code.').orNull(),
    item_index: numeric('NFT item: its index.').orNull(),
    uri: text('NFT item: `uri` of its content.').orNull(),
    is_domain: bool('It was a domain.').withDefault(),
    sale_price: numeric('Sale: full price, nanotons.').orNull(),
    sale_marketplace_id: int8<AccountId>('Sale: the marketplace.').orNull(),
    sale_nft_id: int8<AccountId>('Sale: the item.').orNull(),
    sale_owner_id: int8<AccountId>('Sale: the seller.').orNull(),
    auction_bid: numeric('Auction: last bid, nanotons.').orNull(),
    auction_marketplace_id: int8<AccountId>('Auction: the marketplace.').orNull(),
    auction_nft_id: int8<AccountId>('Auction: the item.').orNull(),
    auction_owner_id: int8<AccountId>('Auction: the seller.').orNull(),
    multisig_id: int8<AccountId>('Multisig order: its multisig.').orNull(),
    signers: int8Array<AccountId>('Multisig order: its signers, by index.').orNull(),
    is_pool: bool('It was a DeDust pool.').withDefault(),
    asset_1_id: int8<AccountId>('DeDust pool: master of the first jetton; null: TON.').orNull(),
    asset_2_id: int8<AccountId>('DeDust pool: master of the second jetton; null: TON.').orNull(),
  },
})

/** Written when the root contract is examined; read by the examination of domains and by the classifier. */
export const dnsZones = defineTable('dns_zones', {
  comment: "Zones of the network's root DNS contract, as of its newest state.",
  primaryKey: ['suffix'],
  columns: {
    suffix: text('The zone, e.g. `.ton`.'),
    workchain: int4<Workchain>("Workchain of the zone's collection."),
    address: bytea("The 32 bytes of the collection's address."),
  },
})

/** Written by the examination of contracts; read by the fetcher of metadata and by the API. */
export const networkConfig = defineTable('network_config', {
  comment: 'One row: parameters of the configuration, for processes without access to the network.',
  primaryKey: ['id'],
  columns: {
    id: int4('Always 1.'),
    key_block_seqno: int4<McBlockSeqno>('Key block that it comes from.'),
    boc: bytea(
      'Bag of cells, `Hashmap 32 ^Cell`: the parameters that getters read, and 44, suspended addresses.',
    ),
  },
})

/** Written by the batch sink; emptied when its token events are written. */
export const eventQueue = defineTable('event_queue', {
  comment: 'Batches whose token events are to be derived.',
  primaryKey: ['mc_seqno'],
  columns: {
    mc_seqno: int4<McBlockSeqno>('Masterchain block of the batch.'),
    leased_until: timestamptz('End of the lease of the process that derives them; null: none does.').orNull(),
  },
})
