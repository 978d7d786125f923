import type { View } from '../define-view.ts'
import { account, address, COMMITTED, hash, times } from '../expressions.ts'

/** A transfer that took place. */
const TRANSFER = (alias: string): string => `${alias}.confirmed and not ${alias}.aborted`

/** lt of the item's last transfer. */
const lastTransfer = (item: string, before = 'true'): string =>
  `(select max(x.lt) from nft_transfers x
      where x.account_id = ${item} and ${TRANSFER('x')} and ${before})`

/** The newest transaction of the item before `lt`. */
const transactionBefore = (item: string, lt: string): string =>
  `join transactions t on t.account_id = ${item}
    and t.lt = (select max(b.lt) from transactions b where b.account_id = ${item} and b.lt < ${lt})`

/** The first transaction of the item is indexed: what is known first of its owner was so from then on. */
const isWhole = (item: string): string =>
  `(select f.prev_trans_lt from transactions f where f.account_id = ${item} order by f.lt limit 1) = 0`

const DETAILS = `left join nft_items n on n.account_id = t.account_id
  ${account('i', 't.account_id')} ${account('c', 'n.collection_id')}`

const ownerChanges: View = {
  name: 'nft_owner_changes',
  comment: 'One row per change of the owner of an NFT, whatever brought it about.',
  notes: `Transfers say what they do. Of other changes (the first owner, auctions of domains and usernames,
domains that were given up) is known who owned the item before and after: from the transfers around them, and
from its newest state. Such a change happened in the transaction that is named or in an earlier one after the
last transfer.`,
  from: `from nft_transfers e join transactions t on t.account_id = e.account_id and t.lt = e.lt ${DETAILS}
  ${account('s', 'e.old_owner_id')} ${account('d', 'e.new_owner_id')} where ${TRANSFER('e')}`,
  columns: {
    ...times('t.now', 'Time of the transaction'),
    mc_block_seqno: ['t.mc_block_seqno', COMMITTED],
    item: [address('i'), 'The item.'],
    collection: [address('c'), 'Its collection; null: none.'],
    kind: ["'transfer'", 'transfer; first: the first owner; other: e.g. an auction that ended.'],
    old_owner: [address('s'), 'Who owned it; null: nobody, or it is the first owner.'],
    new_owner: [address('d'), 'Who owns it then; null: nobody.'],
    lt: ['t.lt', 'Logical time of the transaction.'],
    tx_hash: [hash('t.hash'), 'The transaction, base64.'],
  },
  union: [
    {
      // Between two transfers: who gives in the second is not who got in the first.
      from: `from nft_transfers e join nft_transfers p on p.account_id = e.account_id
    and p.lt = ${lastTransfer('e.account_id', 'x.lt < e.lt')}
  ${transactionBefore('e.account_id', 'e.lt')} ${DETAILS}
  ${account('s', 'p.new_owner_id')} ${account('d', 'e.old_owner_id')}
  where ${TRANSFER('e')} and ${TRANSFER('p')} and e.old_owner_id <> p.new_owner_id`,
      columns: { kind: "'other'" },
    },
    {
      // Before the first transfer.
      from: `from nft_transfers e ${transactionBefore('e.account_id', 'e.lt')} ${DETAILS}
  ${account('d', 'e.old_owner_id')}
  where ${TRANSFER('e')} and ${lastTransfer('e.account_id', 'x.lt < e.lt')} is null
    and ${isWhole('e.account_id')}`,
      columns: { kind: "'first'", old_owner: 'null::text' },
    },
    {
      // After the last transfer.
      from: `from nft_items e join nft_transfers p on p.account_id = e.account_id
    and p.lt = ${lastTransfer('e.account_id')}
  join transactions t on t.account_id = e.account_id and t.lt = e.lt ${DETAILS}
  ${account('s', 'p.new_owner_id')} ${account('d', 'e.owner_id')}
  where ${TRANSFER('p')} and e.owner_id is distinct from p.new_owner_id and p.lt < e.lt`,
      columns: { kind: "'other'" },
    },
    {
      // Without transfers.
      from: `from nft_items e join transactions t on t.account_id = e.account_id and t.lt = e.lt ${DETAILS}
  ${account('d', 'e.owner_id')}
  where e.owner_id is not null and ${lastTransfer('e.account_id')} is null and ${isWhole('e.account_id')}`,
      columns: { kind: "'first'", old_owner: 'null::text' },
    },
  ],
}

export const NFT_OWNER_VIEWS: readonly View[] = [ownerChanges]
