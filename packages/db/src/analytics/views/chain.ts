import { ACCOUNT_STATUS, MESSAGE_KIND, TRANSACTION_KIND } from '@shardwalk/model'
import { MESSAGE_FLAGS, TRACE_STATE } from '@shardwalk/tables'
import type { View } from '../define-view.ts'
import { isTock, skippedReason } from '../description-functions.ts'
import {
  account,
  address,
  hash,
  isFirst,
  nameOf,
  opcode,
  opcodeName,
  times,
  ton,
  traceId,
} from '../expressions.ts'

const COMMITTED = 'Masterchain block that commits it.'

const blocks: View = {
  name: 'blocks',
  comment: 'One row per block, masterchain and shards.',
  from: 'from blocks b',
  columns: {
    ...times('b.gen_utime'),
    mc_block_seqno: ['b.mc_block_seqno', COMMITTED],
    workchain: ['b.workchain', '-1 masterchain, 0 basechain.'],
    shard: ["upper(lpad(to_hex(b.shard), 16, '0'))", 'Shard id, hex as in the API.'],
    seqno: ['b.seqno', 'Number of the block in its shard.'],
    root_hash: [hash('b.root_hash'), 'Hash of the root cell, base64.'],
    tx_count: ['b.tx_count', 'Transactions in the block.'],
    start_lt: ['b.start_lt', 'Logical time at which the block begins.'],
    end_lt: ['b.end_lt', 'Logical time at which the block ends.'],
    key_block: ['b.key_block', 'The block changes the configuration.'],
  },
}

const inMessage = (t: string): string =>
  `from messages i where i.account_id = coalesce(${t}.in_msg_account_id, ${t}.account_id)
      and i.lt = ${t}.in_msg_lt`
const EXTERNAL_IN = `i.kind = ${MESSAGE_KIND.indexOf('external_in')}`

const fee = (kind: string): string => ton(`analytics.fee(t.description, '${kind}')`)

const transactions: View = {
  name: 'transactions',
  comment: 'One row per transaction.',
  from: `from transactions t ${account('a', 't.account_id')}`,
  columns: {
    ...times('t.now'),
    mc_block_seqno: ['t.mc_block_seqno', COMMITTED],
    hash: [hash('t.hash'), 'Hash, base64.'],
    account: [address('a'), 'The account.'],
    lt: ['t.lt', 'Logical time.'],
    kind: [nameOf(TRANSACTION_KIND, 't.kind'), 'ord: a message caused it; tick_tock: the block did.'],
    success: [
      'not t.aborted',
      'It was not aborted; null where the kind has no such outcome. A payment to an account without code ' +
        'is aborted, has neither exit code nor action result, and the account keeps the amount.',
    ],
    exit_code: [
      't.exit_code',
      'Exit code of the compute phase, 0 or 1: fine; null: it was skipped, because the account has no code ' +
        'or the message too little value for gas.',
    ],
    action_result_code: [
      't.action_result_code',
      'Result of the action phase, 0: fine; null: there was none.',
    ],
    status_before: [nameOf(ACCOUNT_STATUS, 't.orig_status'), 'Status of the account before.'],
    status_after: [nameOf(ACCOUNT_STATUS, 't.end_status'), 'Status of the account after.'],
    gas_used: ['t.gas_used', 'Gas of the compute phase; null: it was skipped.'],
    fees_ton: [
      ton('t.total_fees'),
      'Fees in TON that the validators of the block get: storage, gas, import, and a part of the forward ' +
        'fees of its messages. The other part is forward_fees_ton.',
    ],
    fees_nano: ['t.total_fees', 'The same in nanotons.'],
    balance_after_ton: [
      ton('t.balance_after'),
      'Balance after it, TON; null unless it is the last of the account in its block.',
    ],
    out_messages: ['t.out_msg_count', 'Messages that it sent.'],
    is_first: [
      isFirst('t'),
      'It is the first indexed transaction at the address, and the account did not exist before it.',
    ],
    in_opcode: [
      `(select ${opcode('i.opcode')} ${inMessage('t')})`,
      'Opcode of the message that caused it, hex.',
    ],
    in_opcode_name: [
      `(select ${opcodeName('i.opcode')} ${inMessage('t')})`,
      'Name of that opcode, e.g. jetton_transfer; null: unknown.',
    ],
    trace_id: [hash(traceId('t.piece')), 'Hash of the root transaction of its trace, base64.'],
    hash_bytes: ['t.hash', "The hash as bytes: where hash_bytes = analytics.hash('...') uses the index."],
    piece: ['t.piece', "Of its trace: where piece in (select analytics.pieces('...')) uses the index."],
    aborted: ['t.aborted', 'It failed, and what it did is undone; null where the kind has no such outcome.'],
    skipped_reason: [
      skippedReason('t.description'),
      'Why the compute phase was skipped: no_state (the account has no code), bad_state, no_gas (the ' +
        'message has too little value) or suspended; null: it was not.',
    ],
    storage_fees_ton: [
      fee('storage'),
      'Of fees_ton: storage, with what was due before; null: it has no storage phase.',
    ],
    gas_fees_ton: [fee('gas'), 'Of fees_ton: gas of the compute phase; null: no code ran.'],
    action_fees_ton: [
      fee('action'),
      'Of fees_ton: the part of the forward fees of its messages; null: neither actions nor a bounce ' +
        'followed.',
    ],
    import_fee_ton: [
      `case when exists (select ${inMessage('t')} and ${EXTERNAL_IN})
      then ${ton("(t.total_fees - analytics.fee(t.description, 'collected'))")} end`,
      'Of fees_ton: the rest, for importing the message from outside; null: no such message caused it.',
    ],
    forward_fees_ton: [
      fee('forward'),
      'Beside fees_ton: the part of the forward fees that its messages carry to those who deliver them; ' +
        'null: as for action_fees_ton.',
    ],
  },
}

const RECEIVING = `from transactions r where r.in_msg_lt = m.lt and r.in_msg_account_id = m.account_id
      and r.account_id = m.destination_id`
/** The transaction that sent the message: the newest of the sender before it. */
const SENDING = `from transactions s where s.account_id = m.account_id and s.lt < m.lt
      order by s.lt desc limit 1`

const messages: View = {
  name: 'messages',
  comment: 'One row per message.',
  notes: `A message from outside that was accepted several times has as many rows, with one hash. Other
sources list an internal message twice, as sent and as received; sums over this view need no filter for that.
Messages from outside have the time of the transaction that received them.`,
  from: `from messages m ${account('s', 'm.account_id and m.flags & 8 = 0')}
  ${account('d', 'm.destination_id')} where m.kind <> 1`,
  columns: {
    ...times('m.created_at', 'When it was sent'),
    kind: [nameOf(MESSAGE_KIND, 'm.kind'), 'internal, external_in (from outside), external_out (a log).'],
    source: [address('s'), 'The sender; null: from outside, or coins that the network minted or recovered.'],
    destination: [address('d'), 'The receiver; null: to outside.'],
    value_ton: [ton('m.value'), 'Amount in TON; internal messages only.'],
    value_nano: ['m.value', 'The same in nanotons.'],
    opcode: [opcode('m.opcode'), 'First 32 bits of the body, hex; null: it has fewer.'],
    opcode_name: [
      opcodeName('m.opcode'),
      'Name of the opcode, e.g. jetton_transfer; null: unknown. Bodies from outside often begin with ' +
        'something else, whose bits may happen to be those of an opcode.',
    ],
    bounced: ['m.flags & 4 <> 0', 'It returns the value of a message that was refused.'],
    comment: [
      'case when m.opcode = 0 then analytics.comment_text(m.body) end',
      'Text of the body. Anybody can send any text.',
    ],
    created_lt: ['m.lt', 'Logical time at which it was sent; from outside: of the receiving transaction.'],
    hash: [hash('m.hash'), 'Hash, base64.'],
    tx_hash_out: [
      `case when m.flags & 8 = 0 then (select ${hash('s.hash')} ${SENDING}) end`,
      'Transaction that sent it; null: from outside, or the sender is not indexed.',
    ],
    tx_hash_in: [
      `case when m.flags & 8 = 0 then (select ${hash('r.hash')} ${RECEIVING})
      else (select ${hash('r.hash')} from transactions r
        where r.account_id = m.account_id and r.lt = m.lt) end`,
      'Transaction that received it; null: none yet.',
    ],
    hash_bytes: ['m.hash', "The hash as bytes: where hash_bytes = analytics.hash('...') uses the index."],
    mc_block_seqno: [
      `case when m.flags & 8 = 0
        then coalesce((select s.mc_block_seqno ${SENDING}), (select r.mc_block_seqno ${RECEIVING}))
        else (select r.mc_block_seqno from transactions r
          where r.account_id = m.account_id and r.lt = m.lt) end`,
      COMMITTED,
    ],
  },
  union: [
    {
      from: `from messages m join transactions t on t.account_id = m.account_id and t.lt = m.lt
  left join accounts s on false ${account('d', 'm.account_id')} where m.kind = 1`,
      columns: {
        block_time: 'to_timestamp(t.now)',
        block_date: "(to_timestamp(t.now) at time zone 'UTC')::date",
        tx_hash_out: 'null::text',
        tx_hash_in: hash('t.hash'),
        mc_block_seqno: 't.mc_block_seqno',
      },
    },
  ],
}

const transfers: View = {
  name: 'transfers',
  comment: 'One row per transfer of TON from one account to another, whatever else the message does.',
  notes: `Internal messages with a value, except bounced ones, those to oneself, and coins that the network
minted or recovered from fees, which no account sent: \`analytics.messages\` has all of them, the coins with a
source that is null.`,
  from: `from messages m ${account('s', 'm.account_id')} ${account('d', 'm.destination_id')}
  where m.kind = 0 and m.value > 0 and m.flags & 12 = 0 and m.account_id <> m.destination_id`,
  columns: {
    ...times('m.created_at', 'When it was sent'),
    source: [address('s'), 'The sender.'],
    destination: [address('d'), 'The receiver.'],
    value_ton: [ton('m.value'), 'Amount in TON.'],
    value_nano: ['m.value', 'The same in nanotons.'],
    comment: [
      'case when m.opcode = 0 then analytics.comment_text(m.body) end',
      'Text of the body. Anybody can send any text.',
    ],
    success: [
      `(select not r.aborted ${RECEIVING})`,
      'The transaction of the receiver was not aborted; see outcome for where the amount is. Null: not ' +
        'received yet.',
    ],
    outcome: [
      `(select case when not r.aborted then 'accepted' when m.flags & ${MESSAGE_FLAGS.bounce} <> 0
        and r.out_msg_count > 0 then 'returned' else 'kept' end ${RECEIVING})`,
      'accepted; kept: the receiver has no code, or it failed, and the amount stayed there; returned: the ' +
        'message bounced with what fees left of it; null: not received yet.',
    ],
    trace_id: [`(select ${hash(traceId('s.piece'))} ${SENDING})`, 'Hash of the root of its trace, base64.'],
    created_lt: ['m.lt', 'Logical time at which it was sent.'],
    mc_block_seqno: [`(select s.mc_block_seqno ${SENDING})`, COMMITTED],
  },
}

const traces: View = {
  name: 'traces',
  comment: 'One row per trace: all transactions that one message from outside, or one other cause, led to.',
  from: 'from traces t',
  columns: {
    ...times('t.end_utime', 'Time of its last transaction'),
    mc_block_seqno: ['t.mc_seqno_end', 'Newest masterchain block that commits one of its transactions.'],
    trace_id: [hash('t.trace_id'), 'Hash of the root transaction, base64.'],
    external_hash: [
      hash('t.external_hash'),
      'Hash of the message that began it, base64; null: none did. Coins that the network minted are one.',
    ],
    state: [nameOf(TRACE_STATE, 't.state'), 'complete, pending, or broken: its beginning is not indexed.'],
    start_time: ['to_timestamp(t.start_utime)', 'Time of its first transaction.'],
    duration_s: ['t.end_utime - t.start_utime', 'Seconds from the first to the last transaction.'],
    start_lt: ['t.start_lt', 'Logical time of the first transaction.'],
    end_lt: ['t.end_lt', 'Logical time of the last one.'],
    transactions: ['t.nodes', 'Transactions.'],
    messages: ['t.edges', 'Messages.'],
    fees_ton: [
      `(select sum(x.fees) * 0.000000001 from pieces_of_trace(t.piece) p(piece)
      cross join lateral (select sum(total_fees) as fees from transactions x where x.piece = p.piece) x)`,
      'Fees of its transactions, TON.',
    ],
    trace_id_bytes: ['t.trace_id', "As bytes: where trace_id_bytes = analytics.hash('...') uses the index."],
    cause: [
      `(select case r.kind
        when ${TRANSACTION_KIND.indexOf('tick_tock')} then (array['tick', 'tock'])[1 + ${isTock('r')}]
        when ${TRANSACTION_KIND.indexOf('ord')} then (select case when ${EXTERNAL_IN} then 'external_message'
          when i.flags & ${MESSAGE_FLAGS.system} <> 0 then 'minted_coins' end ${inMessage('r')})
        else 'other' end
      from transactions r where r.lt = t.start_lt and r.hash = t.trace_id)`,
      'What began it: external_message (from outside); minted_coins (that the network minted, or recovered ' +
        'from fees); tick or tock (special contracts run before and after the messages of each masterchain ' +
        'block); other (a split or merge of accounts); null: its beginning is not indexed.',
    ],
  },
}

export const CHAIN_VIEWS: readonly View[] = [blocks, transactions, messages, transfers, traces]
