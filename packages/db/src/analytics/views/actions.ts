import { SHORT_ID_BYTES } from '@shardwalk/tables'
import type { View } from '../define-view.ts'
import { addressOf, DETAILS, hash, times } from '../expressions.ts'

const SWAP = "d.details->'jetton_swap_data'"
const NFT = "d.details->'nft_transfer_data'"

const poolOf = (accounts: string): string =>
  addressOf(`(select p.account_id from dex_pools p where p.account_id = any (${accounts}) limit 1)`)

const RAW_AMOUNT = "coalesce(d.details->>'amount', d.details->>'value')::numeric"

const actions: View = {
  name: 'actions',
  comment: 'One row per action: what a trace did, from the point of view of people.',
  notes: `\`parent_action_id\` is set for parts of a composite action, such as the transfers of a swap: filter
by \`parent_action_id is null\` to count each thing once. docs/actions.md lists the types.`,
  from: `from actions a ${DETAILS}`,
  columns: {
    ...times('a.end_utime', 'Time of its last transaction'),
    mc_block_seqno: ['a.trace_mc_seqno_end', 'Newest masterchain block that commits a part of its trace.'],
    action_id: [hash('a.action_id'), 'Id as in the API, base64.'],
    type: ['a.type', 'Type, e.g. ton_transfer.'],
    success: ['a.success', 'False: it was tried and failed.'],
    source: ["d.details->>'source'", 'Who did it, where the type has one.'],
    destination: ["d.details->>'destination'", 'To whom, where the type has one.'],
    asset: ["d.details->>'asset'", 'Jetton, item or collection that it is about; null: TON, or none.'],
    amount_raw: [RAW_AMOUNT, 'Amount in the smallest unit of the jetton, else nanotons.'],
    details: ['d.details::text', 'All fields as JSON: details::jsonb if no text in it has U+0000.'],
    parent_action_id: [hash('a.parent_action_id'), 'The composite around it; null: none.'],
    start_lt: ['a.start_lt', 'Logical time of its first transaction.'],
    end_lt: ['a.end_lt', 'Logical time of its last transaction.'],
    trace_id: [hash('a.trace_id'), 'Hash of the root of its trace, base64.'],
    trace_id_bytes: ['a.trace_id', "As bytes: where trace_id_bytes = analytics.hash('...') uses the index."],
    amount: [
      `analytics.units(${RAW_AMOUNT}, coalesce((select j.decimals from analytics.jettons j
      where j.address = d.details->>'asset'), 9))`,
      'Amount in whole units of the jetton, else TON.',
    ],
  },
}

const actionAccounts: View = {
  name: 'action_accounts',
  comment: 'One row per action and account that takes part.',
  from: `from action_accounts p left join accounts x on x.id = p.account_id
  cross join lateral generate_series(1, length(p.action_bytes), ${SHORT_ID_BYTES}) place
  left join lateral (
    select a.action_id, a.trace_id, a.end_lt from actions a
    where substr(a.action_id, 1, ${SHORT_ID_BYTES}) = substr(p.action_bytes, place, ${SHORT_ID_BYTES})
      and (a.trace_end_lt + 0) = p.trace_end_lt
      and substr(a.trace_id, 1, ${SHORT_ID_BYTES}) = p.trace_bytes limit 1
  ) a on true`,
  columns: {
    ...times('p.trace_end_utime', 'Time of the last transaction of the trace'),
    account: ['analytics.address_text(x.workchain, x.address)', 'An account that takes part.'],
    action_id: [hash('a.action_id'), 'The action, base64.'],
    trace_id: [hash('a.trace_id'), 'Hash of the root of its trace, base64.'],
    end_lt: ['a.end_lt', 'Logical time of the last transaction of the action.'],
  },
}

/** A field of the jetton on one side of a swap. */
const side = (transfer: string, column: string): string =>
  `(select j.${column} from analytics.jettons j where j.address = ${SWAP}->'${transfer}'->>'asset')`
const amount = (transfer: string): string => `analytics.units((${SWAP}->'${transfer}'->>'amount')::numeric,
      coalesce(${side(transfer, 'decimals')}, 9))`

const trades: View = {
  name: 'dex_trades',
  comment: 'One row per swap that succeeded, from the first asset to the last.',
  from: `from actions a ${DETAILS} where a.type = 'jetton_swap' and a.success`,
  columns: {
    ...times('a.end_utime', 'Time of the last transaction of the swap'),
    dex: [`${SWAP}->>'dex'`, 'The exchange.'],
    trader: [`${SWAP}->>'sender'`, 'Who swapped.'],
    pool: [
      poolOf('account_ids_in(a.account_ids)'),
      'The pool, the first one if there are several; null: not known.',
    ],
    token_sold: [
      `coalesce(${SWAP}->'dex_incoming_transfer'->>'asset', 'TON')`,
      'Address of the jetton that the trader gave, or TON.',
    ],
    symbol_sold: [
      `case when ${SWAP}->'dex_incoming_transfer'->>'asset' is null then 'TON'
      else ${side('dex_incoming_transfer', 'symbol')} end`,
      'Its symbol; null: not known.',
    ],
    amount_sold: [amount('dex_incoming_transfer'), 'In whole units.'],
    token_bought: [
      `coalesce(${SWAP}->'dex_outgoing_transfer'->>'asset', 'TON')`,
      'Address of the jetton that the trader got, or TON.',
    ],
    symbol_bought: [
      `case when ${SWAP}->'dex_outgoing_transfer'->>'asset' is null then 'TON'
      else ${side('dex_outgoing_transfer', 'symbol')} end`,
      'Its symbol; null: not known.',
    ],
    amount_bought: [amount('dex_outgoing_transfer'), 'In whole units.'],
    amount_sold_raw: [`(${SWAP}->'dex_incoming_transfer'->>'amount')::numeric`, 'In the smallest unit.'],
    amount_bought_raw: [`(${SWAP}->'dex_outgoing_transfer'->>'amount')::numeric`, 'In the smallest unit.'],
    trace_id: [hash('a.trace_id'), 'Hash of the root of its trace, base64.'],
  },
}

const sales: View = {
  name: 'nft_sales',
  comment: 'One row per NFT that was sold, at a fixed price or by auction.',
  from: `from actions a ${DETAILS} where a.type in ('nft_purchase', 'dns_purchase') and a.success`,
  columns: {
    ...times('a.end_utime', 'Time of the last transaction of the sale'),
    collection: ["d.details->>'asset'", 'The collection; null: none.'],
    item: ["d.details->>'asset_secondary'", 'The item.'],
    seller: ["d.details->>'source'", 'Who sold it; null: the collection.'],
    buyer: ["d.details->>'destination'", 'Who bought it.'],
    marketplace: [`${NFT}->>'marketplace'`, 'The marketplace; null: not known.'],
    price_ton: [`(${NFT}->>'price')::numeric * 0.000000001`, 'Price in TON; null: not known.'],
    trace_id: [hash('a.trace_id'), 'Hash of the root of its trace, base64.'],
  },
}

export const ACTION_VIEWS: readonly View[] = [actions, actionAccounts, trades, sales]
