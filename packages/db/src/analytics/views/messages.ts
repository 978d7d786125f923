import { MESSAGE_KIND } from '@shardwalk/model'
import { MESSAGE_FLAGS } from '@shardwalk/tables'
import type { View } from '../define-view.ts'
import {
  account,
  address,
  COMMITTED,
  hash,
  nameOf,
  opcode,
  opcodeName,
  times,
  ton,
  traceId,
} from '../expressions.ts'

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
      // The last condition follows from the kind. It lets the planner expect few rows, so that messages of a
      // period are looked up by key.
      from: `from messages m join transactions t
  on t.account_id = m.account_id and t.lt = m.lt and t.in_msg_account_id is null and t.in_msg_lt = t.lt
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

export const MESSAGE_VIEWS: readonly View[] = [messages, transfers]
