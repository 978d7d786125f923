import { ACCOUNT_STATUS, MESSAGE_KIND, TRANSACTION_KIND } from '@shardwalk/model'
import { MESSAGE_FLAGS, TRACE_STATE } from '@shardwalk/tables'
import type { View } from '../define-view.ts'
import { isTock, skippedReason } from '../description-functions.ts'
import {
  account,
  address,
  COMMITTED,
  hash,
  isFirst,
  nameOf,
  opcode,
  opcodeName,
  times,
  ton,
  traceId,
} from '../expressions.ts'

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

export const CHAIN_VIEWS: readonly View[] = [blocks, transactions, traces]
