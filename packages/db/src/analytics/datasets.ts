import { ACCOUNT_STATUS, TRANSACTION_KIND } from '@shardwalk/model'
import { TRACE_STATE } from '@shardwalk/tables'
import type { Dataset, ExportColumn } from './define-dataset.ts'
import { fitting } from './define-dataset.ts'
import { account, address, hash, nameOf, opcode, opcodeName } from './expressions.ts'

const SEQNO = 'Masterchain block that commits it.'
const blockTime = (seconds: string): ExportColumn => ['ts', `${seconds}::int8 * 1000`, 'Time of the block.']
const shard = (column: string): string => `${column}::int8`

const blocks: Dataset = {
  name: 'blocks',
  comment: 'Blocks of all shards.',
  kind: 'range',
  from: 'from blocks b',
  position: { seqno: 'b.mc_block_seqno', lt: 'b.start_lt' },
  order: 'b.mc_block_seqno, b.workchain, b.shard, b.seqno',
  columns: {
    block_time: blockTime('b.gen_utime'),
    mc_block_seqno: ['i32', 'b.mc_block_seqno', SEQNO],
    workchain: ['i32', 'b.workchain', '-1 masterchain, 0 basechain.'],
    shard: ['i64', shard('b.shard'), 'Shard id, signed.'],
    seqno: ['i32', 'b.seqno', 'Number of the block in its shard.'],
    root_hash: ['str', hash('b.root_hash'), 'Hash of the root cell.'],
    file_hash: ['str', hash('b.file_hash'), 'Hash of the bytes.'],
    global_id: ['i32', 'b.global_id', 'Network.'],
    version: ['i32', 'b.version', 'version of the header.'],
    flags: ['i32', 'b.flags', 'flags of the header.'],
    after_merge: ['bool', 'b.after_merge', 'Two shards were merged before it.'],
    before_split: ['bool', 'b.before_split', 'The shard is split after it.'],
    after_split: ['bool', 'b.after_split', 'The shard was split before it.'],
    want_merge: ['bool', 'b.want_merge', 'The shard asks to be merged.'],
    want_split: ['bool', 'b.want_split', 'The shard asks to be split.'],
    key_block: ['bool', 'b.key_block', 'It changes the configuration.'],
    vert_seqno_incr: ['bool', 'b.vert_seqno_incr', 'vert_seqno_incr of the header.'],
    gen_utime: ['i64', 'b.gen_utime', 'Time, Unix seconds.'],
    start_lt: ['i64', 'b.start_lt', 'Logical time at which it begins.'],
    end_lt: ['i64', 'b.end_lt', 'Logical time at which it ends.'],
    validator_list_hash_short: ['i32', 'b.validator_list_hash_short', 'uint32, signed.'],
    gen_catchain_seqno: ['i32', 'b.gen_catchain_seqno', 'gen_catchain_seqno of the header.'],
    min_ref_mc_seqno: ['i32', 'b.min_ref_mc_seqno', 'Oldest masterchain block referred to.'],
    prev_key_block_seqno: ['i32', 'b.prev_key_block_seqno', 'Key block before it.'],
    vert_seqno: ['i32', 'b.vert_seqno', 'vert_seq_no of the header.'],
    master_ref_seqno: ['i32', 'b.master_ref_seqno', 'Masterchain block it was made from.'],
    rand_seed: ['str', hash('b.rand_seed'), 'rand_seed.'],
    created_by: ['str', hash('b.created_by'), 'Public key of the validator that made it.'],
    tx_count: ['i32', 'b.tx_count', 'Transactions.'],
  },
}

const transactions: Dataset = {
  name: 'transactions',
  comment: 'Transactions.',
  kind: 'range',
  from: `from transactions t ${account('a', 't.account_id')}`,
  position: { seqno: 't.mc_block_seqno', lt: 't.lt' },
  order: 't.mc_block_seqno, t.lt, t.account_id',
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    account: ['str', address('a'), 'The account.'],
    hash: ['str', hash('t.hash'), 'Hash.'],
    lt: ['i64', 't.lt', 'Logical time.'],
    block_workchain: ['i32', 'a.workchain', 'Workchain of its block.'],
    block_seqno: ['i32', 't.block_seqno', 'Number of its block in the shard.'],
    trace_id: ['str', hash('t.trace_id'), 'Hash of the root of its trace.'],
    prev_trans_hash: ['str', hash('t.prev_trans_hash'), 'Transaction of the account before.'],
    prev_trans_lt: ['i64', 't.prev_trans_lt', 'Its logical time; 0: none.'],
    now: ['i32', 't.now', 'Unix seconds.'],
    orig_status: ['str', nameOf(ACCOUNT_STATUS, 't.orig_status'), 'Status before.'],
    end_status: ['str', nameOf(ACCOUNT_STATUS, 't.end_status'), 'Status after.'],
    total_fees: ['i64', 't.total_fees', 'Fees, nanotons.'],
    account_state_hash_before: ['str', hash('t.state_hash_before'), 'Hash of the state before.'],
    account_state_hash_after: ['str', hash('t.state_hash_after'), 'Hash of the state after.'],
    account_state_balance_after: [
      'i64',
      't.balance_after',
      'Balance after, nanotons; null unless it is the last of the account in its block.',
    ],
    account_state_code_hash_after: [
      'str',
      hash('t.code_hash_after'),
      'Hash of the code after; null as above.',
    ],
    descr: ['str', nameOf(TRANSACTION_KIND, 't.kind'), 'Kind of the description.'],
    aborted: ['bool', 't.aborted', 'It was aborted.'],
    compute_gas_used: ['i64', 't.gas_used', 'Gas of the compute phase; null: skipped.'],
    compute_exit_code: ['i32', 't.exit_code', 'Exit code of the compute phase; null: skipped.'],
    action_result_code: ['i32', 't.action_result_code', 'Result of the action phase; null: there was none.'],
    out_msg_count: ['i32', 't.out_msg_count', 'Messages that it sent.'],
  },
  bocs: { description: ['bin', 't.description', 'The phases as stored: see docs/schema.md.'] },
}

const SYSTEM = `-1:${'0'.repeat(64)}`
const messages: Dataset = {
  name: 'messages',
  comment: 'Messages of transactions: an internal one twice, as sent (out) and as received (in).',
  kind: 'range',
  from: `from transactions t ${account('a', 't.account_id')}
  cross join lateral (
    select 0 as nth, i.* from messages i
    where i.account_id = coalesce(t.in_msg_account_id, t.account_id) and i.lt = t.in_msg_lt
    union all
    select 1, o.* from messages o
    where o.account_id = t.account_id and o.lt > t.lt and o.lt <= t.lt + t.out_msg_count
  ) m
  ${account('s', 'm.account_id')}
  ${account('d', 'case when m.kind = 1 then m.account_id else m.destination_id end')}`,
  position: { seqno: 't.mc_block_seqno', lt: 't.lt' },
  order: 't.mc_block_seqno, t.lt, t.account_id, m.nth, m.lt, m.hash',
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    tx_hash: ['str', hash('t.hash'), 'The transaction.'],
    tx_now: ['i32', 't.now', 'Its time, Unix seconds.'],
    tx_lt: ['i64', 't.lt', 'Its logical time.'],
    msg_hash: ['str', hash('m.hash'), 'Hash.'],
    direction: ['str', "case m.nth when 0 then 'in' else 'out' end", 'in: received; out: sent.'],
    trace_id: ['str', hash('t.trace_id'), 'Hash of the root of the trace.'],
    source: [
      'str',
      `case when m.flags & 8 <> 0 then '${SYSTEM}' when m.kind <> 1 then ${address('s')} end`,
      'The sender; null: from outside.',
    ],
    destination: ['str', address('d'), 'The receiver; null: to outside.'],
    value: ['i64', 'm.value', 'Nanotons; internal messages only.'],
    fwd_fee: ['i64', 'm.fwd_fee', 'Nanotons; internal messages only.'],
    ihr_fee: ['i64', 'm.ihr_fee', 'Nanotons; before global version 12 only.'],
    import_fee: ['i64', 'm.import_fee', 'Nanotons; external-in only.'],
    created_lt: ['i64', 'case when m.kind <> 1 then m.lt end', 'Logical time at which it was sent.'],
    created_at: ['i64', 'm.created_at', 'Unix seconds; null: from outside.'],
    opcode: ['i32', 'm.opcode', 'First 32 bits of the body, signed.'],
    ihr_disabled: ['bool', 'm.flags & 1 <> 0', 'ihr_disabled.'],
    bounce: ['bool', 'm.flags & 2 <> 0', 'bounce.'],
    bounced: ['bool', 'm.flags & 4 <> 0', 'bounced.'],
    comment: [
      'str',
      'case when m.opcode = 0 then analytics.comment_text(m.body) end',
      'Text of a body with opcode 0; null: not valid UTF-8.',
    ],
    account: ['str', address('a'), 'Account of the transaction.'],
    msg_hash_norm: [
      'str',
      `case when m.kind = 1 then ${hash('coalesce(m.hash_norm, m.hash)')} end`,
      'TEP-467.',
    ],
    opcode_hex: ['str', opcode('m.opcode'), 'The opcode, hex.'],
    opcode_name: ['str', opcodeName('m.opcode'), 'Its name; null: unknown.'],
    value_extra_currencies: ['str', 'm.value_extra::text', 'JSON; null: none.'],
    extra_flags: ['d20', fitting('m.extra_flags', 20), 'extra_flags; since global version 12.'],
  },
  bocs: {
    body_boc: ['bin', 'm.body', 'The body as a bag of cells; null: the empty cell.'],
    init_state_boc: ['bin', 'm.init_state', 'State-init, perhaps without its code (docs/schema.md).'],
  },
}

const balancesHistory: Dataset = {
  name: 'balances_history',
  comment: 'Balances of TON after the last transaction of an account in a block.',
  kind: 'range',
  from: `from transactions t ${account('a', 't.account_id')}`,
  position: { seqno: 't.balance_after is not null and t.mc_block_seqno', lt: 't.lt' },
  order: 't.mc_block_seqno, t.account_id, t.lt',
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    address: ['str', address('a'), 'The account.'],
    asset: ['str', "'TON'", 'Always TON.'],
    amount: ['d38', 't.balance_after', 'Balance then, nanotons.'],
    timestamp: ['i32', 't.now', 'Unix seconds.'],
    lt: ['i64', 't.lt', 'Logical time of the transaction.'],
    source: ['str', "'state'", 'The state in the block.'],
  },
}

/** Transactions of a table of token events. */
const event = (table: string): Pick<Dataset, 'from' | 'position'> => ({
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
  trace_id: ['str', hash('t.trace_id'), 'Hash of the root of the trace.'],
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
  columns: {
    ...EVENT,
    tx_now: ['i32', 'e.now', 'Unix seconds.'],
    nft_item_address: ['str', address('w'), 'The item.'],
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

const actions: Dataset = {
  name: 'actions',
  comment: 'Actions of complete traces. A later version of the classifier may change them.',
  kind: 'range',
  from: 'from actions a',
  position: { seqno: 'a.trace_mc_seqno_end', lt: 'a.trace_end_lt' },
  order: 'a.trace_mc_seqno_end, a.trace_end_lt, a.trace_id, a.end_lt, a.action_id',
  columns: {
    block_time: blockTime('a.trace_end_utime'),
    mc_block_seqno: ['i32', 'a.trace_mc_seqno_end', 'Newest masterchain block of the trace.'],
    action_id: ['str', hash('a.action_id'), 'Id as in the API.'],
    trace_id: ['str', hash('a.trace_id'), 'Hash of the root of the trace.'],
    type: ['str', 'a.type', 'Type.'],
    source: ['str', "a.details->>'source'", 'Who did it.'],
    destination: ['str', "a.details->>'destination'", 'To whom.'],
    asset: ['str', "a.details->>'asset'", 'What it is about; null: TON, or none.'],
    parent_action_id: ['str', hash('a.parent_action_id'), 'The composite around it; null: none.'],
    details: ['str', 'a.details::text', 'All fields, JSON.'],
    start_lt: ['i64', 'a.start_lt', 'Logical time of its first transaction.'],
    end_lt: ['i64', 'a.end_lt', 'Logical time of its last transaction.'],
    trace_end_lt: ['i64', 'a.trace_end_lt', 'Logical time of the end of the trace.'],
    start_utime: ['i32', 'a.start_utime', 'Unix seconds.'],
    end_utime: ['i32', 'a.end_utime', 'Unix seconds.'],
    success: ['bool', 'a.success', 'False: it was tried and failed.'],
  },
}

const traces: Dataset = {
  name: 'traces',
  comment: 'Complete traces.',
  kind: 'range',
  from: 'from traces t',
  position: { seqno: 't.state = 0 and t.mc_seqno_end', lt: 't.end_lt' },
  order: 't.mc_seqno_end, t.end_lt, t.trace_id',
  columns: {
    block_time: blockTime('t.end_utime'),
    mc_block_seqno: ['i32', 't.mc_seqno_end', 'Newest masterchain block of its transactions.'],
    trace_id: ['str', hash('t.trace_id'), 'Hash of the root.'],
    external_hash: ['str', hash('t.external_hash'), 'Hash of the message that began it.'],
    state: ['str', nameOf(TRACE_STATE, 't.state'), 'Always complete.'],
    mc_seqno_start: ['i32', 't.mc_seqno_start', 'Masterchain block of the root.'],
    start_utime: ['i32', 't.start_utime', 'Unix seconds.'],
    end_utime: ['i32', 't.end_utime', 'Unix seconds.'],
    transactions: ['i32', 't.nodes', 'Transactions.'],
    messages: ['i32', 't.edges', 'Messages.'],
    start_lt: ['i64', 't.start_lt', 'Logical time of the root.'],
    end_lt: ['i64', 't.end_lt', 'Greatest logical time.'],
  },
}

const latestBalances: Dataset = {
  name: 'latest_balances',
  comment: 'Balances as of the newest indexed state: TON and jettons.',
  kind: 'snapshot',
  from: `from (
    select account_id as owner, null::int8 as jetton, null::int8 as wallet, balance::numeric as amount,
      timestamp, lt from latest_account_states
    union all
    select owner_id, jetton_id, account_id, balance, null, lt from jetton_wallets
  ) b ${account('o', 'b.owner')} ${account('j', 'b.jetton')} ${account('w', 'b.wallet')}`,
  order: 'b.owner, b.jetton nulls first, b.wallet',
  columns: {
    address: ['str', address('o'), 'The owner.'],
    asset: ['str', `coalesce(${address('j')}, 'TON')`, 'TON, or the master.'],
    amount: ['d38', fitting('b.amount', 38), 'Smallest unit; null: see amount_text.'],
    last_change_timestamp: ['i32', 'b.timestamp', 'Unix seconds; TON only.'],
    last_change_lt: ['i64', 'b.lt', 'Logical time of the last transaction.'],
    jetton_wallet: ['str', address('w'), 'The wallet; null: TON.'],
    amount_text: ['str', 'b.amount::text', 'The amount, whatever its size.'],
  },
}

/** Every dataset, by name. */
export const DATASETS: readonly Dataset[] = [
  ...[blocks, transactions, messages, balancesHistory, jettonTransfers, jettonBurns],
  ...[nftTransfers, actions, traces, latestBalances],
]
