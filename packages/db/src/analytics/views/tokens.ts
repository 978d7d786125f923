import type { View } from '../define-view.ts'
import { account, address, addressOf, hash, times, ton } from '../expressions.ts'

/** Content of a master: what the operator set, else that of the chain; then what was fetched. */
const content = (alias: string): string => `left join metadata_overrides ${alias}o
    on ${alias}o.account_id = ${alias}.account_id and ${alias}o.type = 2
  left join address_metadata ${alias}d on ${alias}d.account_id = ${alias}.account_id and ${alias}d.type = 2`
const attribute = (alias: string, name: string, fetched = `${alias}d.${name}`): string =>
  `coalesce(${alias}o.content->>'${name}', ${alias}.content->>'${name}', ${fetched})`
const decimals = (alias: string): string =>
  `coalesce(analytics.decimals_of(${attribute(alias, 'decimals', `${alias}d.extra->>'decimals'`)}), 9)`

/** The master with alias `j`, for the id in `column`. */
const jetton = (column: string): string =>
  `left join jetton_masters j on j.account_id = ${column} ${content('j')} ${account('ja', column)}`
const JETTON: View['columns'] = {
  jetton: [address('ja'), 'Address of the master. This identifies a jetton: anybody can choose any symbol.'],
  symbol: [attribute('j', 'symbol'), 'Symbol; null: neither on the chain nor fetched.'],
}
const units = (column: string): string => `analytics.units(${column}, ${decimals('j')})`

const jettons: View = {
  name: 'jettons',
  comment: 'One row per jetton master.',
  from: `from jetton_masters j ${content('j')} ${account('ja', 'j.account_id')} ${account('m', 'j.admin_id')}
  left join address_metadata_flags f on f.account_id = j.account_id`,
  columns: {
    address: [address('ja'), 'Address of the master.'],
    symbol: [attribute('j', 'symbol'), 'Symbol, as its makers chose; null: not known.'],
    name: [attribute('j', 'name'), 'Name, as its makers chose; null: not known.'],
    decimals: [decimals('j'), 'Digits after the decimal point of a whole unit; 9 unless it says otherwise.'],
    total_supply: [units('j.total_supply'), 'Supply in whole units, as the master reports it.'],
    total_supply_raw: ['j.total_supply', 'The same in the smallest unit.'],
    mintable: ['j.mintable', 'More can be minted.'],
    admin: [address('m'), 'Who may mint; null: nobody.'],
    is_scam: ['coalesce(f.is_scam, false)', 'The operator marked it as fraud.'],
  },
}

const transfers: View = {
  name: 'jetton_transfers',
  comment: 'One row per transfer of jettons that the wallet of the sender carried out.',
  notes: `Wallets that no master confirms, and transfers that failed, are left out: anybody can send messages
that look like transfers of any amount.`,
  from: `from jetton_transfers t ${jetton('t.jetton_id')}
  ${account('s', 't.source_id')} ${account('d', 't.destination_id')} ${account('w', 't.account_id')}
  where t.confirmed and not t.aborted`,
  columns: {
    ...times('t.now'),
    ...JETTON,
    decimals: [decimals('j'), 'Digits after the decimal point of a whole unit.'],
    source: [address('s'), 'Owner of the sending wallet.'],
    destination: [address('d'), 'Owner of the receiving wallet.'],
    amount: [units('t.amount'), 'In whole units.'],
    amount_raw: ['t.amount', 'In the smallest unit.'],
    forward_ton: [ton('t.forward_amount'), 'TON sent on to the receiver.'],
    comment: [
      'analytics.comment_text(t.forward_payload)',
      'Text in the forward payload; null: none. Anybody can send any text.',
    ],
    delivered: [
      `(select not r.aborted from messages m join transactions r on r.in_msg_lt = m.lt
      and r.in_msg_account_id = m.account_id and r.account_id = m.destination_id
      where m.account_id = t.account_id and m.lt > t.lt and m.lt <= t.lt + 255 and m.opcode = 395134233
      order by m.lt limit 1)`,
      'The wallet of the receiver took it; false: it was returned; null: not received yet.',
    ],
    lt: ['t.lt', 'Logical time of the transaction.'],
    wallet: [address('w'), 'The sending jetton wallet.'],
    tx_hash: [
      `(select ${hash('x.hash')} from transactions x where x.account_id = t.account_id and x.lt = t.lt)`,
      'The transaction, base64.',
    ],
    trace_id: [
      `(select ${hash('trace_id_of(x.piece)')} from transactions x
      where x.account_id = t.account_id and x.lt = t.lt)`,
      'Hash of the root of its trace, base64.',
    ],
  },
}

const burns: View = {
  name: 'jetton_burns',
  comment: 'One row per burning of jettons that the wallet carried out.',
  from: `from jetton_burns t ${jetton('t.jetton_id')} ${account('s', 't.owner_id')}
  where t.confirmed and not t.aborted`,
  columns: {
    ...times('t.now'),
    ...JETTON,
    owner: [address('s'), 'Owner of the wallet.'],
    amount: [units('t.amount'), 'In whole units.'],
    amount_raw: ['t.amount', 'In the smallest unit.'],
    lt: ['t.lt', 'Logical time of the transaction.'],
    tx_hash: [
      `(select ${hash('x.hash')} from transactions x where x.account_id = t.account_id and x.lt = t.lt)`,
      'The transaction, base64.',
    ],
  },
}

const holders: View = {
  name: 'jetton_holders',
  comment: 'One row per owner of a jetton, as of the newest indexed state; empty wallets left out.',
  from: `from jetton_wallets w ${jetton('w.jetton_id')}
  ${account('o', 'w.owner_id')} ${account('wa', 'w.account_id')} where w.balance > 0`,
  columns: {
    ...JETTON,
    owner: [address('o'), 'The owner.'],
    balance: [units('w.balance'), 'In whole units.'],
    balance_raw: ['w.balance', 'In the smallest unit.'],
    wallet: [address('wa'), 'The jetton wallet.'],
    last_lt: ['w.lt', 'Logical time of the last transaction of the wallet.'],
  },
}

const balances: View = {
  name: 'balances',
  comment: 'One row per account and asset, as of the newest indexed state: TON and jettons; zero left out.',
  from: `from latest_account_states s ${account('o', 's.account_id')} where s.balance > 0`,
  columns: {
    owner: [address('o'), 'The account.'],
    asset: ["'TON'", 'TON, or the address of the jetton master.'],
    symbol: ["'TON'", 'Symbol; null: not known.'],
    balance: [`(${ton('s.balance')})::numeric`, 'In whole units.'],
    balance_raw: ['s.balance::numeric', 'In the smallest unit.'],
    last_lt: ['s.lt', 'Logical time of the last transaction that may have changed it.'],
  },
  union: [
    {
      from: `from jetton_wallets w ${jetton('w.jetton_id')} ${account('o', 'w.owner_id')}
  where w.balance > 0`,
      columns: {
        asset: address('ja'),
        symbol: attribute('j', 'symbol'),
        balance: units('w.balance'),
        balance_raw: 'w.balance',
        last_lt: 'w.lt',
      },
    },
  ],
}

const changes: View = {
  name: 'balance_changes',
  comment: 'TON balances over time: one row per account and block that has transactions of it.',
  notes: `A block shows the balance after the account's last transaction in it. The balance at some moment is
that of the newest row not after it.`,
  from: `from transactions t ${account('a', 't.account_id')} where t.balance_after is not null`,
  columns: {
    ...times('t.now'),
    mc_block_seqno: ['t.mc_block_seqno', 'Masterchain block that commits it.'],
    account: [address('a'), 'The account.'],
    balance_ton: [ton('t.balance_after'), 'Balance then, TON.'],
    balance_nano: ['t.balance_after', 'The same in nanotons.'],
    delta_ton: [
      `(t.balance_after - case when t.prev_trans_lt = 0 then 0 else (
      select p.balance_after from transactions p where p.account_id = t.account_id and p.lt < t.lt
      and p.balance_after is not null order by p.lt desc limit 1) end) * 0.000000001`,
      'Change since the row before, TON; null: what was before is not indexed.',
    ],
    lt: ['t.lt', 'Logical time of the last transaction in the block.'],
  },
}

const items: View = {
  name: 'nft_items',
  comment: 'One row per NFT, as of the newest indexed state.',
  from: `from nft_items i ${account('a', 'i.account_id')} ${account('c', 'i.collection_id')}
  ${account('o', 'i.owner_id')} ${account('r', 'i.real_owner_id')}
  left join address_metadata d on d.account_id = i.account_id and d.type = 0`,
  columns: {
    item: [address('a'), 'Address of the item.'],
    collection: [address('c'), 'Address of the collection; null: none.'],
    index: ['i.item_index', 'Index in the collection.'],
    owner: [address('o'), 'The owner: while it is for sale, the contract that sells it.'],
    real_owner: [address('r'), 'The seller while it is for sale, else the owner.'],
    name: ["coalesce(i.content->>'name', d.name)", 'Name; null: not known.'],
    init: ['i.init', 'The item exists; false: only its address does.'],
    last_lt: ['i.lt', 'Logical time of its last transaction.'],
  },
}

const nftTransfers: View = {
  name: 'nft_transfers',
  comment: 'One row per transfer of an NFT that took place.',
  from: `from nft_transfers t ${account('i', 't.account_id')} ${account('c', 't.collection_id')}
  ${account('s', 't.old_owner_id')} ${account('d', 't.new_owner_id')} where t.confirmed and not t.aborted`,
  columns: {
    ...times('t.now'),
    item: [address('i'), 'The item.'],
    collection: [address('c'), 'Its collection; null: none.'],
    old_owner: [address('s'), 'Who owned it.'],
    new_owner: [address('d'), 'Who owns it then.'],
    lt: ['t.lt', 'Logical time of the transaction.'],
    tx_hash: [
      `(select ${hash('x.hash')} from transactions x where x.account_id = t.account_id and x.lt = t.lt)`,
      'The transaction, base64.',
    ],
  },
}

const dns: View = {
  name: 'dns',
  comment: 'One row per domain, as of the newest indexed state.',
  from: `from dns_entries e ${account('i', 'e.account_id')} ${account('o', 'e.owner_id')}
  ${account('w', 'e.wallet_id')}`,
  columns: {
    domain: ['e.domain', 'The domain, e.g. alice.ton.'],
    item: [address('i'), 'The NFT that is the domain.'],
    owner: [address('o'), 'The owner; null: nobody yet.'],
    wallet: [address('w'), 'Where it leads wallets; null: nowhere.'],
    last_renewed: ['to_timestamp(e.last_fill_up_time)', 'A .ton domain expires a year later.'],
  },
}

export const TOKEN_VIEWS: readonly View[] = [
  ...[jettons, transfers, burns, holders, balances, changes, items, nftTransfers, dns],
]
export const poolOf = (accounts: string): string =>
  addressOf(`(select p.account_id from dex_pools p where p.account_id = any (${accounts}) limit 1)`)
