import { parseRoot } from '@shardwalk/cells'
import { JETTON, type JettonInternalTransfer, readJettonInternalTransfer } from '@shardwalk/contracts'
import { bytesOf, type Dataset, fromText } from '../define-dataset.ts'
import { account, address, hash, traceId } from '../expressions.ts'
import { blockTime, SEQNO } from './columns.ts'

const MINTING = [JETTON.internalTransfer, JETTON.hipoTokensMinted] as const

/** Tokens arrive at a wallet although no wallet sent them. */
const MINTS = `
    select 'mint' as type, t.account_id, t.lt, t.now, coalesce(t.aborted, false) as aborted,
      null::numeric as query_id, null::int8 as source_id, w.owner_id as destination_id, w.jetton_id,
      null::int8 as response_id, null::numeric as amount, null::numeric as forward_amount,
      null::bytea as custom_payload, null::bytea as forward_payload, m.body
    from transactions t join jetton_wallets w on w.account_id = t.account_id
    join messages m on m.account_id = t.in_msg_account_id and m.lt = t.in_msg_lt
      and m.opcode in (${MINTING.join(', ')})
    where not exists (
      select from (
        select p.account_id, p.in_msg_account_id, p.in_msg_lt from transactions p
        where p.account_id = m.account_id and p.lt < m.lt order by p.lt desc limit 1
      ) p join messages i on i.account_id = coalesce(p.in_msg_account_id, p.account_id)
        and i.lt = p.in_msg_lt and i.opcode = ${JETTON.transfer}
    )`

const EVENTS = `
    select 'transfer' as type, e.account_id, e.lt, e.now, e.aborted, e.query_id, e.source_id,
      e.destination_id, e.jetton_id, e.response_id, e.amount, e.forward_amount, e.custom_payload,
      e.forward_payload, null::bytea as body
    from jetton_transfers e where e.confirmed
    union all
    select 'burn', e.account_id, e.lt, e.now, e.aborted, e.query_id, e.owner_id, null, e.jetton_id,
      e.response_id, e.amount, null, e.custom_payload, null, null
    from jetton_burns e where e.confirmed
    union all ${MINTS}`

/** Numbers of an event: those of a mint are in the body of its message. */
interface Numbers {
  readonly queryId: bigint | undefined
  readonly amount: bigint | undefined
  readonly forwardAmount: bigint | undefined
}

function readNumbers(text: string): Numbers {
  const [queryId, amount, forwardAmount, body] = JSON.parse(text) as (string | null)[]
  if (body) {
    const mint = readMint(bytesOf(body))
    return { queryId: mint?.queryId, amount: mint?.amount, forwardAmount: mint?.forwardTonAmount }
  }
  const number = (value: string | null | undefined) => (value ? BigInt(value) : undefined)
  return { queryId: number(queryId), amount: number(amount), forwardAmount: number(forwardAmount) }
}

/** Undefined if the body has another layout behind its opcode. */
function readMint(body: Buffer): JettonInternalTransfer | undefined {
  return readJettonInternalTransfer(parseRoot(body).slice())
}

const fits = (value: bigint | undefined, digits: number): bigint | undefined =>
  value === undefined || value >= 10n ** BigInt(digits) ? undefined : value

/** Transfers, burns and mints of jettons, one row each. */
export const JETTON_EVENTS: Dataset = {
  name: 'jetton_events',
  comment: 'Transfers, burns and mints of jettons by confirmed wallets, aborted ones too.',
  kind: 'range',
  dependsOn: 'contracts',
  from: `from (${EVENTS}) e join transactions t on t.account_id = e.account_id and t.lt = e.lt
  left join lateral (
    select m.account_id, m.lt, m.destination_id from messages m
    where e.type = 'transfer' and m.account_id = e.account_id and m.lt > e.lt and m.lt <= e.lt + 255
      and m.opcode = ${MINTING[0]} order by m.lt limit 1
  ) x on true
  ${account('w', 'e.account_id')} ${account('j', 'e.jetton_id')} ${account('s', 'e.source_id')}
  ${account('d', 'e.destination_id')} ${account('r', 'e.response_id')} ${account('y', 'x.destination_id')}`,
  position: { seqno: 't.mc_block_seqno', lt: 'e.lt' },
  order: 't.mc_block_seqno, e.lt, e.account_id',
  filters: {
    account: ['e.source_id', 'e.destination_id'],
    jetton: ['e.jetton_id'],
    type: ['e.type'],
  },
  sources: {
    numbers: {
      expression: `json_build_array(e.query_id::text, e.amount::text, e.forward_amount::text, e.body::text)`,
      parse: fromText(readNumbers),
    },
  },
  columns: {
    block_time: blockTime('t.now'),
    mc_block_seqno: ['i32', 't.mc_block_seqno', SEQNO],
    type: ['str', 'e.type', 'transfer, burn or mint.'],
    tx_hash: ['str', hash('t.hash'), 'The transaction.'],
    tx_lt: ['i64', 'e.lt', 'Its logical time.'],
    utime: ['i32', 'e.now', 'Unix seconds.'],
    trace_id: ['str', hash(traceId('t.piece')), 'Hash of the root of the trace.'],
    tx_aborted: ['bool', 'e.aborted', 'It was aborted: this did not happen.'],
    query_id: [
      'd20',
      { source: 'numbers', read: ({ queryId }: Numbers) => fits(queryId, 20) },
      'query_id of the message.',
    ],
    amount: [
      'd38',
      { source: 'numbers', read: ({ amount }: Numbers) => fits(amount, 38) },
      'Smallest unit; null: see amount_text.',
    ],
    source: ['str', address('s'), 'Owner of the sending wallet; null: mint.'],
    destination: ['str', address('d'), 'Owner of the receiving wallet; null: burn.'],
    jetton_wallet: ['str', address('w'), 'Wallet of the transaction; of a mint the receiving one.'],
    jetton_master: ['str', address('j'), 'The master.'],
    response_destination: ['str', address('r'), 'Where the rest of the value goes; null: mint.'],
    custom_payload: ['bin', 'e.custom_payload', 'A bag of cells.'],
    forward_ton_amount: [
      'd38',
      { source: 'numbers', read: ({ forwardAmount }: Numbers) => fits(forwardAmount, 38) },
      'Nanotons sent on to the receiver; null: burn.',
    ],
    forward_payload: ['bin', 'e.forward_payload', 'A bag of cells.'],
    comment: ['str', 'analytics.comment_text(e.forward_payload)', 'Text in the forward payload.'],
    destination_jetton_wallet: ['str', address('y'), 'Wallet that a transfer was sent to.'],
    delivered: [
      'bool',
      `(select not r.aborted from transactions r where r.in_msg_lt = x.lt
        and r.in_msg_account_id = x.account_id and r.account_id = x.destination_id)`,
      'The receiving wallet took it; null: not received yet, or no transfer.',
    ],
    amount_text: [
      'str',
      { source: 'numbers', read: ({ amount }: Numbers) => amount },
      'The amount, whatever its size.',
    ],
  },
}
