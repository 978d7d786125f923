import { ACCOUNT_STATUS } from '@shardwalk/model'
import { type Dataset, fitting, type Walk } from '../define-dataset.ts'
import { account, address, hash, nameOf } from '../expressions.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')
const SECONDS_TO_MS = '::int8 * 1000'
/** A hash as of the first indexed transaction; null unless it is the account's first. */
const first = (expression: string): string => `case when f.prev_trans_lt = 0 then ${expression} end`

/** The account's first such transaction, sought where it was active instead of in every partition. */
const firstOf = (condition: string): string => `
    select x.* from active_ranges(s.account_id, false) r cross join lateral (
      select t.* from transactions t
      where t.account_id = s.account_id and t.lt between r.from_lt and r.to_lt and ${condition}
      order by t.lt limit 1) x limit 1`

/** Ids of accounts may be negative. */
const LEAST = "'-9223372036854775808'::int8"

/** All rows of a table whose primary key is the account. */
const byAccount = (table: string, alias: string): Walk => ({
  key: [`${alias}.account_id`],
  indexes: [{ table, columns: ['account_id'] }],
})

const accounts: Dataset = {
  name: 'accounts',
  comment: 'Accounts as of the newest indexed state.',
  kind: 'snapshot',
  from: `from latest_account_states s ${account('a', 's.account_id')}
  left join lateral (${firstOf('true')}) f on true
  left join lateral (
    ${firstOf(`f.prev_trans_lt = 0 and t.orig_status <> ${ACTIVE} and t.end_status = ${ACTIVE}`)}
  ) d on true`,
  order: 's.account_id',
  walks: [byAccount('latest_account_states', 's')],
  filters: { account: ['s.account_id'] },
  columns: {
    address: ['str', address('a'), 'The account.'],
    status: ['str', nameOf(ACCOUNT_STATUS, 's.status'), 'Status.'],
    last_tx_at: ['ts', `nullif(s.timestamp, 0)${SECONDS_TO_MS}`, 'Time of the last transaction.'],
    last_tx_hash: ['str', hash('s.last_trans_hash'), 'The last transaction.'],
    balance: ['i64', 's.balance', 'Nanotons.'],
    code_hash: ['str', hash('s.code_hash'), 'Hash of the code; null: not active.'],
    deployment_at: ['ts', `d.now${SECONDS_TO_MS}`, 'When it became active first; null: not known.'],
    deployment_tx_hash: ['str', hash('d.hash'), 'The transaction that made it active.'],
    deployment_by_external: [
      'bool',
      'd.in_msg_account_id is null and d.in_msg_lt is not null',
      'From outside.',
    ],
    initial_funding_at: ['ts', first(`f.now${SECONDS_TO_MS}`), 'Its first transaction; null: not known.'],
    initial_funding_tx_hash: ['str', first(hash('f.hash')), 'The same.'],
    first_tx_sender: [
      'str',
      first(`(select ${address('x')} from accounts x where x.id = f.in_msg_account_id)`),
      'Who sent the first message; null: from outside, or not known.',
    ],
    interfaces: [
      'str',
      `array_to_string(array(select name from (values ('jetton_master', exists (select from jetton_masters r
          where r.account_id = s.account_id)), ('jetton_wallet', exists (select from jetton_wallets r
          where r.account_id = s.account_id)), ('nft_collection', exists (select from nft_collections r
          where r.account_id = s.account_id)), ('nft_item', exists (select from nft_items r
          where r.account_id = s.account_id))) v (name, is_one) where is_one order by name), ',')`,
      'Kinds of token contract, separated by commas.',
    ],
  },
}

const latestBalances: Dataset = {
  name: 'latest_balances',
  comment: 'Balances as of the newest indexed state: TON and jettons.',
  kind: 'snapshot',
  from: `from (
    select account_id as owner, null::int8 as jetton, null::int8 as wallet, balance::numeric as amount,
      timestamp, lt, null::bool as claimed from latest_account_states
    union all
    select w.owner_id, w.jetton_id, w.account_id, w.balance, s.timestamp, w.lt, w.is_claimed
    from jetton_wallets w left join latest_account_states s on s.account_id = w.account_id
  ) b ${account('o', 'b.owner')} ${account('j', 'b.jetton')} ${account('w', 'b.wallet')}`,
  order: 'b.owner, b.jetton nulls first, b.wallet',
  walks: [
    {
      key: ['b.owner', `coalesce(b.jetton, ${LEAST})`, `coalesce(b.wallet, ${LEAST})`],
      indexes: [
        { table: 'latest_account_states', columns: ['account_id'] },
        { table: 'jetton_wallets', columns: ['owner_id'] },
      ],
    },
  ],
  filters: { account: ['b.owner'], jetton: ['b.jetton'] },
  columns: {
    address: ['str', address('o'), 'The owner.'],
    asset: ['str', `coalesce(${address('j')}, 'TON')`, 'TON, or the master.'],
    amount: ['d38', fitting('b.amount', 38), 'Smallest unit; null: see amount_text.'],
    mintless_claimed: ['bool', 'b.claimed', 'The airdrop was claimed; null: there is none.'],
    last_change_timestamp: ['i32', 'nullif(b.timestamp, 0)', 'Unix seconds, of the last transaction.'],
    last_change_lt: ['i64', 'b.lt', 'Logical time of the last transaction.'],
    jetton_wallet: ['str', address('w'), 'The wallet; null: TON.'],
    amount_text: ['str', 'b.amount::text', 'The amount, whatever its size.'],
  },
}

/** Content of a token: what the operator set, then that of the chain, then what was fetched. */
const content = (alias: string, name: string): string =>
  `coalesce(o.content->>'${name}', ${alias}.content->>'${name}', d.${name})`
const METADATA = (alias: string, type: number): string =>
  `left join metadata_overrides o on o.account_id = ${alias}.account_id and o.type = ${type}
  left join address_metadata d on d.account_id = ${alias}.account_id and d.type = ${type}`
const STATUS_OF_METADATA = 'case when d.account_id is null then 0 when d.valid then 1 else -1 end'
const CHANGED = `(select nullif(s.timestamp, 0) from latest_account_states s where s.account_id = `

const jettonMetadata: Dataset = {
  name: 'jetton_metadata',
  comment: 'Jetton masters as of the newest indexed state, with what was fetched of their content.',
  kind: 'snapshot',
  from: `from jetton_masters j ${account('a', 'j.account_id')} ${account('m', 'j.admin_id')}
  ${METADATA('j', 2)}
  left join address_metadata_flags f on f.account_id = j.account_id`,
  order: 'j.account_id',
  walks: [byAccount('jetton_masters', 'j')],
  filters: { jetton: ['j.account_id'] },
  columns: {
    address: ['str', address('a'), 'The master.'],
    update_time_onchain: ['i32', `${CHANGED}j.account_id)`, 'Last transaction, Unix seconds.'],
    update_time_metadata: ['i32', 'extract(epoch from d.updated_at)::int', 'When it was fetched.'],
    mintable: ['bool', 'j.mintable', 'More can be minted.'],
    admin_address: ['str', address('m'), 'Who may mint; null: nobody.'],
    jetton_content_onchain: ['str', 'j.content::text', 'TEP-64 attributes on chain, JSON.'],
    jetton_wallet_code_hash: ['str', hash('j.wallet_code_hash'), 'Hash of the code of its wallets.'],
    code_hash: ['str', hash('j.code_hash'), 'Hash of its code.'],
    metadata_status: ['i32', STATUS_OF_METADATA, '0: not fetched, 1: fetched, -1: nothing usable.'],
    symbol: ['str', content('j', 'symbol'), 'Symbol.'],
    name: ['str', content('j', 'name'), 'Name.'],
    description: ['str', content('j', 'description'), 'Description.'],
    image: ['str', content('j', 'image'), 'Address of the image.'],
    image_data: ['str', "j.content->>'image_data'", 'The image, as on chain.'],
    decimals: [
      'i32',
      "analytics.decimals_of(coalesce(o.content->>'decimals', j.content->>'decimals', d.extra->>'decimals'))",
      'Null: 9.',
    ],
    total_supply: ['d38', fitting('j.total_supply', 38), 'Smallest unit; null: it does not fit.'],
    is_scam: ['bool', 'coalesce(f.is_scam, false)', 'The operator marked it as fraud.'],
  },
}

const nftItems: Dataset = {
  name: 'nft_items',
  comment: 'NFTs as of the newest indexed state.',
  kind: 'snapshot',
  from: `from nft_items i ${account('a', 'i.account_id')} ${account('c', 'i.collection_id')}
  ${account('o', 'i.owner_id')} ${account('r', 'i.real_owner_id')}`,
  order: 'i.account_id',
  walks: [byAccount('nft_items', 'i')],
  filters: { account: ['i.owner_id', 'i.real_owner_id'] },
  columns: {
    address: ['str', address('a'), 'The item.'],
    is_init: ['bool', 'i.init', 'The item is initialised.'],
    index: ['str', 'i.item_index::text', 'Index in the collection.'],
    collection_address: ['str', address('c'), 'The collection; null: none.'],
    owner_address: ['str', address('o'), 'The owner; null: none.'],
    content_onchain: ['str', 'i.content::text', 'TEP-64 attributes on chain, JSON.'],
    timestamp: ['i32', `${CHANGED}i.account_id)`, 'Last transaction, Unix seconds.'],
    lt: ['i64', 'i.lt', 'Its logical time.'],
    real_owner: ['str', address('r'), 'The seller while it is for sale, else the owner.'],
  },
}

/** Items (0) and collections (1), whose parent differs. */
const nftTokens = (type: 0 | 1): string => `select m.account_id, m.content,
      ${type === 0 ? 'm.collection_id' : 'null::int8'} as parent_id,
      '${type === 0 ? 'item' : 'collection'}' as type, ${type} as type_no
    from ${type === 0 ? 'nft_items' : 'nft_collections'} m`

const nftMetadata: Dataset = {
  name: 'nft_metadata',
  comment: 'NFTs and collections as of the newest indexed state, with what was fetched of their content.',
  kind: 'snapshot',
  from: `from (${nftTokens(0)} union all ${nftTokens(1)}) n
  ${account('a', 'n.account_id')} ${account('p', 'n.parent_id')}
  left join metadata_overrides o on o.account_id = n.account_id and o.type = n.type_no
  left join address_metadata d on d.account_id = n.account_id and d.type = n.type_no`,
  order: 'n.type_no, n.account_id',
  walks: [
    { ...byAccount('nft_items', 'n'), condition: 'n.type_no = 0' },
    { ...byAccount('nft_collections', 'n'), condition: 'n.type_no = 1' },
  ],
  columns: {
    type: ['str', 'n.type', 'item or collection.'],
    address: ['str', address('a'), 'The token.'],
    update_time_onchain: ['i32', `${CHANGED}n.account_id)`, 'Last transaction, Unix seconds.'],
    update_time_metadata: ['i32', 'extract(epoch from d.updated_at)::int', 'When it was fetched.'],
    parent_address: ['str', address('p'), 'The collection of an item; null: none.'],
    content_onchain: ['str', 'n.content::text', 'TEP-64 attributes on chain, JSON.'],
    metadata_status: ['i32', STATUS_OF_METADATA, '0: not fetched, 1: fetched, -1: nothing usable.'],
    name: ['str', content('n', 'name'), 'Name.'],
    description: ['str', content('n', 'description'), 'Description.'],
    image: ['str', content('n', 'image'), 'Address of the image.'],
    image_data: ['str', "n.content->>'image_data'", 'The image, as on chain.'],
    attributes: ['str', "(d.extra->'attributes')::text", 'Attributes, JSON.'],
  },
}

const dnsRecords: Dataset = {
  name: 'dns_records',
  comment: 'Domains as of the newest indexed state.',
  kind: 'snapshot',
  from: `from dns_entries e ${account('i', 'e.account_id')} ${account('o', 'e.owner_id')}
  ${account('w', 'e.wallet_id')} ${account('n', 'e.next_resolver_id')}`,
  order: 'e.account_id',
  walks: [byAccount('dns_entries', 'e')],
  filters: { account: ['e.owner_id', 'e.wallet_id'] },
  columns: {
    domain: ['str', 'e.domain', 'The domain.'],
    nft_item_address: ['str', address('i'), 'The NFT that is the domain.'],
    owner: ['str', address('o'), 'The owner; null: nobody yet.'],
    wallet: ['str', address('w'), 'Where it leads wallets; null: nowhere.'],
    next_resolver: ['str', address('n'), 'Contract that resolves subdomains.'],
    site_adnl: ['str', "upper(encode(e.site, 'hex'))", 'ADNL address of the site, hex.'],
    storage_bag_id: ['str', "upper(encode(e.storage, 'hex'))", 'Id of the TON Storage bag, hex.'],
    last_lt: ['i64', 'e.lt', 'Logical time of its last transaction.'],
  },
}

const jettonHolders: Dataset = {
  name: 'jetton_holders',
  comment: 'Wallets with a balance as of the newest indexed state.',
  kind: 'snapshot',
  from: `from (select * from jetton_wallets where balance > 0) w ${account('o', 'w.owner_id')}
  ${account('a', 'w.account_id')} ${account('j', 'w.jetton_id')}`,
  order: 'w.jetton_id, w.account_id',
  walks: [
    {
      key: ['w.jetton_id', 'w.account_id'],
      indexes: [{ table: 'jetton_wallets', columns: ['jetton_id', 'account_id'] }],
    },
  ],
  filters: { account: ['w.owner_id'], jetton: ['w.jetton_id'] },
  columns: {
    jetton: ['str', address('j'), 'The master.'],
    owner: ['str', address('o'), 'The owner.'],
    jetton_wallet: ['str', address('a'), 'The wallet.'],
    balance: ['d38', fitting('w.balance', 38), 'Smallest unit; null: see balance_text.'],
    balance_text: ['str', 'w.balance::text', 'The balance, whatever its size.'],
  },
}

/** Datasets of the newest state, as opposed to those of what happened. */
export const SNAPSHOTS: readonly Dataset[] = [
  accounts,
  latestBalances,
  jettonMetadata,
  nftItems,
  nftMetadata,
  dnsRecords,
  jettonHolders,
]
