import { TRACE_STATE } from '@shardwalk/tables'
import { type Dataset, fitting } from '../define-dataset.ts'
import { account, address, addressOf, DETAILS, hash, nameOf } from '../expressions.ts'
import { blockTime } from './columns.ts'

/** A decimal text of details. */
const fittingText = (expression: string): string => fitting(`(${expression})::numeric`, 38)

export const ACTIONS: Dataset = {
  name: 'actions',
  comment: 'Actions of complete traces. A later version of the classifier may change them.',
  kind: 'range',
  from: `from actions a ${DETAILS}`,
  position: { seqno: 'a.trace_mc_seqno_end', lt: 'a.trace_end_lt' },
  order: 'a.trace_mc_seqno_end, a.trace_end_lt, a.trace_id, a.end_lt, a.action_id',
  filters: { type: ['a.type'] },
  dependsOn: 'actions',
  columns: {
    block_time: blockTime('a.trace_end_utime'),
    mc_block_seqno: ['i32', 'a.trace_mc_seqno_end', 'Newest masterchain block of the trace.'],
    action_id: ['str', hash('a.action_id'), 'Id as in the API.'],
    trace_id: ['str', hash('a.trace_id'), 'Hash of the root of the trace.'],
    type: ['str', 'a.type', 'Type.'],
    source: ['str', "d.details->>'source'", 'Who did it.'],
    destination: ['str', "d.details->>'destination'", 'To whom.'],
    asset: ['str', "d.details->>'asset'", 'What it is about; null: TON, or none.'],
    parent_action_id: ['str', hash('a.parent_action_id'), 'The composite around it; null: none.'],
    details: ['str', 'd.details::text', 'All fields, JSON.'],
    start_lt: ['i64', 'a.start_lt', 'Logical time of its first transaction.'],
    end_lt: ['i64', 'a.end_lt', 'Logical time of its last transaction.'],
    trace_end_lt: ['i64', 'a.trace_end_lt', 'Logical time of the end of the trace.'],
    start_utime: ['i32', 'a.start_utime', 'Unix seconds.'],
    end_utime: ['i32', 'a.end_utime', 'Unix seconds.'],
    success: ['bool', 'a.success', 'False: it was tried and failed.'],
    source_secondary: ['str', "d.details->>'source_secondary'", 'A contract of the source.'],
    destination_secondary: ['str', "d.details->>'destination_secondary'", 'A contract of the destination.'],
    asset_secondary: ['str', "d.details->>'asset_secondary'", 'A part of the asset, e.g. an NFT.'],
    asset2: ['str', "d.details->>'asset2'", 'The second asset.'],
    asset2_secondary: ['str', "d.details->>'asset2_secondary'", 'A part of the second asset.'],
    trace_external_hash: [
      'str',
      `(select ${hash('t.external_hash')} from traces t where t.trace_id = a.trace_id limit 1)`,
      'Hash of the message that began the trace.',
    ],
    value: ['d38', fittingText("d.details->>'value'"), 'Nanotons.'],
    amount: ['d38', fittingText("d.details->>'amount'"), 'Smallest unit of the asset.'],
  },
}

export const ACTION_ACCOUNTS: Dataset = {
  name: 'action_accounts',
  comment: 'Accounts that take part in actions.',
  kind: 'range',
  from: `from actions a cross join lateral unnest(account_ids_in(a.account_ids)) as p(account_id)
  ${account('x', 'p.account_id')}`,
  position: { seqno: 'a.trace_mc_seqno_end', lt: 'a.trace_end_lt' },
  order: 'a.trace_mc_seqno_end, a.trace_end_lt, a.trace_id, a.end_lt, a.action_id, p.account_id',
  filters: { account: ['p.account_id'], type: ['a.type'] },
  dependsOn: 'actions',
  columns: {
    block_time: blockTime('a.trace_end_utime'),
    mc_block_seqno: ['i32', 'a.trace_mc_seqno_end', 'Newest masterchain block of the trace.'],
    action_id: ['str', hash('a.action_id'), 'Id as in the API.'],
    account: ['str', address('x'), 'An account that takes part.'],
  },
}

const SWAP = "d.details->'jetton_swap_data'"
const side = (transfer: string, key: string): string => `${SWAP}->'${transfer}'->>'${key}'`
const NATIVE = `0:${'0'.repeat(64)}`
const PROJECTS: readonly (readonly [dex: string, project: string, version: number])[] = [
  ['stonfi', 'ston.fi', 1],
  ['stonfi_v2', 'ston.fi', 2],
  ['dedust', 'dedust', 2],
  // Pools without vaults. The public data lake calls them CPMM v3.
  ['dedust_v2', 'dedust', 3],
  ['tonco', 'tonco', 1],
  ['coffee', 'coffee', 1],
]
const ofProject = (values: (row: (typeof PROJECTS)[number]) => string): string =>
  `case ${SWAP}->>'dex' ${PROJECTS.map((row) => `when '${row[0]}' then ${values(row)}`).join(' ')} end`

const LAST_HASH =
  'case when length(a.tx_hashes) = 1 then a.trace_id else substr(a.tx_hashes, length(a.tx_hashes) - 31) end'

export const DEX_TRADES: Dataset = {
  name: 'dex_trades',
  comment: 'Swaps that succeeded, from the first asset to the last.',
  kind: 'range',
  from: `from actions a ${DETAILS}`,
  position: {
    seqno: "a.type = 'jetton_swap' and a.success and a.trace_mc_seqno_end",
    lt: 'a.trace_end_lt',
  },
  order: 'a.trace_mc_seqno_end, a.trace_end_lt, a.trace_id, a.end_lt, a.action_id',
  dependsOn: 'actions',
  columns: {
    block_time: blockTime('a.trace_end_utime'),
    mc_block_seqno: ['i32', 'a.trace_mc_seqno_end', 'Newest masterchain block of the trace.'],
    tx_hash: ['str', hash(LAST_HASH), 'Last transaction of the swap.'],
    trace_id: ['str', hash('a.trace_id'), 'Hash of the root of the trace.'],
    project_type: ['str', "'dex'", 'Always dex.'],
    project: ['str', ofProject(([, project]) => `'${project}'`), 'The exchange; null: unknown.'],
    version: ['i32', ofProject(([, , version]) => String(version)), 'Version of the exchange.'],
    event_time: ['i32', 'a.end_utime', 'Unix seconds.'],
    event_type: ['str', "'trade'", 'Always trade.'],
    trader_address: ['str', `${SWAP}->>'sender'`, 'Who swapped.'],
    pool_address: [
      'str',
      addressOf(`(select p.account_id from dex_pools p
        where p.account_id = any (account_ids_in(a.account_ids)) limit 1)`),
      'The pool, the first one if there are several; null: not known.',
    ],
    router_address: ['str', side('dex_incoming_transfer', 'destination'), 'Who took the sold token.'],
    token_sold_address: [
      'str',
      `coalesce(${side('dex_incoming_transfer', 'asset')}, '${NATIVE}')`,
      'Master of the jetton that the trader gave; zeros: TON.',
    ],
    token_bought_address: [
      'str',
      `coalesce(${side('dex_outgoing_transfer', 'asset')}, '${NATIVE}')`,
      'Master of the jetton that the trader got; zeros: TON.',
    ],
    amount_sold_raw: ['d38', fittingText(side('dex_incoming_transfer', 'amount')), 'Smallest unit.'],
    amount_bought_raw: ['d38', fittingText(side('dex_outgoing_transfer', 'amount')), 'Smallest unit.'],
    referral_address: ['str', 'null::text', 'Not known.'],
    platform_tag: ['str', 'null::text', 'Not known.'],
    query_id: ['d20', 'null::numeric', 'Not known.'],
    volume_ton: [
      'ton',
      `case when ${side('dex_incoming_transfer', 'asset')} is null
          then ${fittingText(side('dex_incoming_transfer', 'amount'))}
        when ${side('dex_outgoing_transfer', 'asset')} is null
          then ${fittingText(side('dex_outgoing_transfer', 'amount'))} end`,
      'TON that was swapped; null: neither side is TON.',
    ],
    action_id: ['str', hash('a.action_id'), 'Id as in the API.'],
  },
}

export const TRACES: Dataset = {
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
