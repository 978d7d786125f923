import { EMPTY_CELL, parseBoc } from '@shardwalk/cells'
import { RecentMap } from '@shardwalk/model'
import { joinInitState } from '../../rows/init-state.ts'
import { bytesOf, type Dataset, fitting, fromBytes, fromText } from '../define-dataset.ts'
import { account, address, hash, joinedTrace, joinedTraceId, opcode, opcodeName } from '../expressions.ts'
import { blockTime, SEQNO } from './columns.ts'

const SYSTEM = `-1:${'0'.repeat(64)}`

const hashOfRoot = (boc: Buffer): string => {
  const bag = parseBoc(boc)
  return bag.hash(bag.root).toString('base64')
}
const EMPTY = EMPTY_CELL.hash().toString('base64')
/**
 * Hashes of bodies by their bytes. An internal message is exported twice, near one another, and many bodies
 * are alike.
 */
const hashes = new RecentMap<string, string>(5_000)
const MAX_REMEMBERED = 1_000

/** No bytes: the empty cell. */
function hashOfBody(boc: Buffer): string {
  if (boc.length === 0) return EMPTY
  if (boc.length > MAX_REMEMBERED) return hashOfRoot(boc)
  const key = boc.toString('latin1')
  let hash = hashes.get(key)
  if (hash === undefined) {
    hash = hashOfRoot(boc)
    hashes.set(key, hash)
  }
  return hash
}
const hashOfInit = (boc: Buffer): string => hashOfRoot(boc)

/** The stored state-init and, behind a slash, the code that was taken out of it. */
function wholeInitState(text: string): Buffer {
  const [initState, code] = text.split('/') as [string, string]
  return code === '' ? bytesOf(initState) : joinInitState(bytesOf(initState), bytesOf(code))
}

export const MESSAGES: Dataset = {
  name: 'messages',
  comment: 'Messages of transactions: an internal one twice, as sent (out) and as received (in).',
  kind: 'range',
  from: `from transactions t ${account('a', 't.account_id')} ${joinedTrace('t.piece')}
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
  filters: { account: ['t.account_id'] },
  sources: {
    body: { expression: `coalesce(m.body, '\\x')`, parse: fromBytes((boc) => boc) },
    init: {
      expression: `m.init_state::text || '/' || coalesce((select c.boc::text from codes c
        where c.code_hash = m.init_code_hash), '')`,
      parse: fromText(wholeInitState),
    },
  },
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    tx_hash: ['str', hash('t.hash'), 'The transaction.'],
    tx_now: ['i32', 't.now', 'Its time, Unix seconds.'],
    tx_lt: ['i64', 't.lt', 'Its logical time.'],
    msg_hash: ['str', hash('m.hash'), 'Hash.'],
    direction: ['str', "case m.nth when 0 then 'in' else 'out' end", 'in: received; out: sent.'],
    trace_id: ['str', hash(joinedTraceId('t.piece')), 'Hash of the root of the trace.'],
    source: [
      'str',
      `case when m.flags & 8 <> 0 then '${SYSTEM}' when m.kind <> 1 then ${address('s')} end`,
      'The sender; null: from outside.',
    ],
    destination: ['str', address('d'), 'The receiver; null: to outside.'],
    value: ['i64', 'm.value', 'Nanotons; internal messages only.'],
    fwd_fee: ['i64', 'm.fwd_fee', 'Nanotons; internal messages only.'],
    ihr_fee: ['i64', 'm.ihr_fee', 'Nanotons; before global version 12 only; null also: version not known.'],
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
    body_hash: ['str', { source: 'body', read: hashOfBody }, 'Hash of the body.'],
    init_state_hash: ['str', { source: 'init', read: hashOfInit }, 'Hash of the state-init; null: none.'],
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
    init_state_boc: [
      'bin',
      { source: 'init', read: (boc: Buffer) => boc },
      'The state-init as a bag of cells.',
    ],
  },
}
