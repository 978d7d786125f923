import type { View } from '../define-view.ts'
import { account, address, times, ton, transactionOf } from '../expressions.ts'

const metadata = (column: string): string =>
  `left join address_metadata md on md.account_id = ${column} and md.type = 0`
const nameOf = (item: string): string => `coalesce(${item}.content->>'name', md.name)`

const items: View = {
  name: 'nft_items',
  comment: 'One row per NFT, as of the newest indexed state.',
  from: `from nft_items i ${account('a', 'i.account_id')} ${account('c', 'i.collection_id')}
  ${account('o', 'i.owner_id')} ${account('r', 'i.real_owner_id')}
  ${metadata('i.account_id')}`,
  columns: {
    item: [address('a'), 'Address of the item.'],
    collection: [address('c'), 'Address of the collection; null: none.'],
    index: ['i.item_index', 'Index in the collection.'],
    owner: [address('o'), 'The owner: while it is for sale, the contract that sells it.'],
    real_owner: [address('r'), 'The seller while it is for sale, else the owner.'],
    name: [nameOf('i'), 'Name; null: not known.'],
    init: ['i.init', 'The item exists; false: only its address does.'],
    last_lt: ['i.lt', 'Logical time of its last transaction.'],
  },
}

const nftTransfers: View = {
  name: 'nft_transfers',
  comment: 'One row per transfer of an NFT that took place.',
  notes: `Other changes of owner are in nft_owner_changes: the first owner, auctions of domains and usernames,
domains that were given up.`,
  from: `from nft_transfers t ${account('i', 't.account_id')} ${account('c', 't.collection_id')}
  ${account('s', 't.old_owner_id')} ${account('d', 't.new_owner_id')}
  left join nft_items n on n.account_id = t.account_id ${metadata('t.account_id')}
  where t.confirmed and not t.aborted`,
  columns: {
    ...times('t.now'),
    item: [address('i'), 'The item.'],
    collection: [address('c'), 'Its collection; null: none.'],
    old_owner: [address('s'), 'Who owned it.'],
    new_owner: [address('d'), 'Who owns it then.'],
    lt: ['t.lt', 'Logical time of the transaction.'],
    ...transactionOf('t'),
    index: ['n.item_index', 'Index in the collection.'],
    name: [nameOf('n'), 'Name; null: not known.'],
  },
}

const dns: View = {
  name: 'dns',
  comment: 'One row per domain, as of the newest indexed state.',
  from: `from dns_entries e ${account('i', 'e.account_id')} ${account('o', 'e.owner_id')}
  ${account('w', 'e.wallet_id')} ${account('b', 'e.bidder_id')}`,
  columns: {
    domain: ['e.domain', 'The domain, e.g. alice.ton.'],
    item: [address('i'), 'The NFT that is the domain.'],
    owner: [address('o'), 'The owner; null: nobody yet.'],
    wallet: [address('w'), 'Where it leads wallets; null: nowhere.'],
    last_renewed: [
      'to_timestamp(e.last_fill_up_time)',
      'When its owner renewed it, for 366 days; null: not known.',
    ],
    // Source: ton-blockchain/dns-contract, func/dns-utils.fc, one_year.
    expires: [
      `case when e.domain ~ '^[^.]+[.]ton$' then to_timestamp(e.last_fill_up_time + 31622400) end`,
      'When anybody may put a .ton domain up for auction unless it is renewed; null: other domains.',
    ],
    bidder: [address('b'), 'Who leads its auction, or has won it and not taken the domain; null: nobody.'],
    bid_ton: [ton('e.bid'), 'The highest bid, TON.'],
    auction_ends: ['to_timestamp(e.auction_end_time)', 'When the auction ends, or has ended.'],
  },
}

export const NFT_VIEWS: readonly View[] = [items, nftTransfers, dns]
