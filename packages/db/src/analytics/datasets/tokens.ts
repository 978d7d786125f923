import { type Dataset, fitting } from '../define-dataset.ts'
import { account, address, hash, traceId } from '../expressions.ts'
import { blockTime, SEQNO } from './columns.ts'

/** Transactions of a table of token events. */
const event = (table: string): Pick<Dataset, 'from' | 'position' | 'dependsOn'> => ({
  dependsOn: 'contracts',
  from: `from ${table} e join transactions t on t.account_id = e.account_id and t.lt = e.lt
  ${account('w', 'e.account_id')}`,
  position: { seqno: 'e.confirmed and t.mc_block_seqno', lt: 'e.lt' },
})
const EVENT: Dataset['columns'] = {
  block_time: blockTime('t.now'),
  mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
  tx_hash: ['str', hash('t.hash'), 'The transaction.'],
  tx_lt: ['i64', 'e.lt', 'Its logical time.'],
  tx_aborted: ['bool', 'e.aborted', 'It was aborted: this did not happen.'],
  trace_id: ['str', hash(traceId('t.piece')), 'Hash of the root of the trace.'],
  query_id: ['d20', fitting('e.query_id', 20), 'query_id of the message.'],
}

const jettonTransfers: Dataset = {
  name: 'jetton_transfers',
  comment: 'Transfers of jettons by confirmed wallets, aborted ones too.',
  kind: 'range',
  ...event('jetton_transfers'),
  from: `${event('jetton_transfers').from} ${account('j', 'e.jetton_id')} ${account('s', 'e.source_id')}
  ${account('d', 'e.destination_id')} ${account('r', 'e.response_id')}`,
  order: 't.mc_block_seqno, e.lt, e.account_id',
  filters: { account: ['e.source_id', 'e.destination_id'], jetton: ['e.jetton_id'] },
  columns: {
    ...EVENT,
    utime: ['i32', 'e.now', 'Unix seconds.'],
    source: ['str', address('s'), 'Owner of the sending wallet.'],
    destination: ['str', address('d'), 'Owner of the receiving wallet.'],
    jetton_wallet: ['str', address('w'), 'The sending wallet.'],
    jetton_master: ['str', address('j'), 'The master.'],
    response_destination: ['str', address('r'), 'Where the rest of the value goes.'],
    amount: ['d38', fitting('e.amount', 38), 'Smallest unit; null: see amount_text.'],
    forward_ton_amount: ['d38', fitting('e.forward_amount', 38), 'Nanotons sent on to the receiver.'],
    comment: ['str', 'analytics.comment_text(e.forward_payload)', 'Text in the forward payload.'],
    custom_payload: ['bin', 'e.custom_payload', 'A bag of cells.'],
    forward_payload: ['bin', 'e.forward_payload', 'A bag of cells.'],
    amount_text: ['str', 'e.amount::text', 'The amount, whatever its size.'],
  },
}

const jettonBurns: Dataset = {
  name: 'jetton_burns',
  comment: 'Burning of jettons by confirmed wallets, aborted ones too.',
  kind: 'range',
  ...event('jetton_burns'),
  from: `${event('jetton_burns').from} ${account('j', 'e.jetton_id')} ${account('s', 'e.owner_id')}
  ${account('r', 'e.response_id')}`,
  order: 't.mc_block_seqno, e.lt, e.account_id',
  filters: { account: ['e.owner_id'], jetton: ['e.jetton_id'] },
  columns: {
    ...EVENT,
    utime: ['i32', 'e.now', 'Unix seconds.'],
    source: ['str', address('s'), 'Owner of the wallet.'],
    jetton_wallet: ['str', address('w'), 'The wallet.'],
    jetton_master: ['str', address('j'), 'The master.'],
    response_destination: ['str', address('r'), 'Where the rest of the value goes.'],
    amount: ['d38', fitting('e.amount', 38), 'Smallest unit; null: see amount_text.'],
    custom_payload: ['bin', 'e.custom_payload', 'A bag of cells.'],
    amount_text: ['str', 'e.amount::text', 'The amount, whatever its size.'],
  },
}

const nftTransfers: Dataset = {
  name: 'nft_transfers',
  comment: 'Transfers of NFTs, aborted ones too.',
  kind: 'range',
  ...event('nft_transfers'),
  from: `${event('nft_transfers').from} ${account('c', 'e.collection_id')} ${account('s', 'e.old_owner_id')}
  ${account('d', 'e.new_owner_id')} ${account('r', 'e.response_id')}`,
  order: 't.mc_block_seqno, e.lt, e.account_id',
  filters: { account: ['e.account_id', 'e.old_owner_id', 'e.new_owner_id'] },
  columns: {
    ...EVENT,
    tx_now: ['i32', 'e.now', 'Unix seconds.'],
    nft_item_address: ['str', address('w'), 'The item.'],
    nft_item_index: [
      'str',
      '(select i.item_index::text from nft_items i where i.account_id = e.account_id)',
      'Its index in the collection; null: not known.',
    ],
    nft_collection_address: ['str', address('c'), 'Its collection; null: none.'],
    old_owner: ['str', address('s'), 'Who owned it.'],
    new_owner: ['str', address('d'), 'Who owns it then.'],
    response_destination: ['str', address('r'), 'Where the rest of the value goes.'],
    forward_amount: ['d38', fitting('e.forward_amount', 38), 'Nanotons sent on to the new owner.'],
    comment: ['str', 'analytics.comment_text(e.forward_payload)', 'Text in the forward payload.'],
    custom_payload: ['bin', 'e.custom_payload', 'A bag of cells.'],
    forward_payload: ['bin', 'e.forward_payload', 'A bag of cells.'],
  },
}

/** Datasets of transfers and burns. */
export const TOKEN_DATASETS: readonly Dataset[] = [jettonTransfers, jettonBurns, nftTransfers]
