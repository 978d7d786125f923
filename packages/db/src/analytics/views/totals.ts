import { ZEROSTATE_ROOT_HASH } from '@shardwalk/model'
import type { View } from '../define-view.ts'
import { account, address, date, hash, isFirst } from '../expressions.ts'
import { attribute, content, decimals } from './jetton-content.ts'

/** Totals of one day of a table, where the day is looked up: only days that are asked for are read. */
const ofDay = (alias: string, totals: string, table: string, column: string): string =>
  `left join lateral (select ${totals} from ${table} where ${date(column)} = b.day) ${alias} on true`

const days: View = {
  name: 'daily_stats',
  comment: 'One row per day (UTC) with blocks.',
  notes: `Computed when it is read: name the days that are needed, \`where day >= current_date - 7\`. The
first and the last indexed day are usually incomplete.`,
  from: `from (select ${date('gen_utime')} as day, count(*) as blocks from blocks group by 1) b
  ${ofDay(
    't',
    `count(*) as transactions, count(distinct account_id) as active,
    count(distinct account_id) filter (where ${isFirst('transactions')}) as new, sum(total_fees) as fees,
    count(*) filter (where aborted) as failed`,
    'transactions',
    'now',
  )}
  ${ofDay(
    'm',
    'count(*) filter (where kind = 0) as messages, sum(value) filter (where kind = 0) as value',
    'messages',
    'created_at',
  )}`,
  columns: {
    day: ['b.day', 'The day.'],
    blocks: ['b.blocks', 'Blocks of all shards.'],
    transactions: ['t.transactions', 'Transactions.'],
    active_accounts: ['t.active', 'Accounts with at least one transaction.'],
    new_accounts: ['t.new', 'Accounts with their first transaction.'],
    fees_ton: ['coalesce(t.fees, 0) * 0.000000001', 'Fees of transactions, TON.'],
    failed_share: ['round(t.failed::numeric / nullif(t.transactions, 0), 4)', 'Aborted transactions, of 1.'],
    internal_messages: ['m.messages', 'Messages from contract to contract.'],
    moved_ton: ['coalesce(m.value, 0) * 0.000000001', 'Their values, TON.'],
  },
}

/** The address is joined below the grouping, so that a jetton that is asked for reaches the tables. */
const events = (
  table: string,
  columns: string,
): string => `select t.now, t.jetton_id, ${address('a')} as jetton,
      ${columns}, t.amount from ${table} t ${account('a', 't.jetton_id')} where t.confirmed and not t.aborted`

const amounts = (what: 'transfer' | 'burn'): string =>
  `coalesce(sum(e.amount) filter (where e.what = '${what}'), 0)`
const ofMaster = (expression: string): string =>
  `(select ${expression} from jetton_masters j ${content('j')} where j.account_id = e.jetton_id)`
const units = (raw: string): string => `analytics.units(${raw}, coalesce(${ofMaster(decimals('j'))}, 9))`

const jettonDays: View = {
  name: 'daily_jetton_stats',
  comment: 'One row per day (UTC) and jetton that was transferred or burned.',
  notes: 'Computed when it is read: name days or jettons. Volumes count what was sent, back and forth too.',
  from: `from (
    ${events('jetton_transfers', "'transfer' as what, t.source_id, t.destination_id")}
    union all
    ${events('jetton_burns', "'burn', null, null")}
  ) e group by 1, 2, e.jetton_id`,
  columns: {
    day: [date('e.now'), 'The day.'],
    jetton: ['e.jetton', 'Address of the master.'],
    symbol: [ofMaster(attribute('j', 'symbol')), 'Symbol; null: not known.'],
    transfers: ["count(*) filter (where e.what = 'transfer')", 'Transfers.'],
    senders: ['count(distinct e.source_id)', 'Different senders.'],
    receivers: ['count(distinct e.destination_id)', 'Different receivers.'],
    volume: [units(amounts('transfer')), 'Sum of the transfers, in whole units.'],
    volume_raw: [amounts('transfer'), 'The same in the smallest unit.'],
    burned: [units(amounts('burn')), 'Sum of what was burned, in whole units.'],
  },
}

const NETWORKS = Object.entries(ZEROSTATE_ROOT_HASH)
  .map(([name, rootHash]) => `when decode('${rootHash}', 'base64') then '${name}'`)
  .join(' ')

const indexer: View = {
  name: 'indexer',
  comment: 'One row: what is indexed. Look here first: what is not indexed is in no answer.',
  from: `from (select min(from_seqno) as first, max(to_seqno) as last from indexed_ranges) r
  left join blocks b on b.workchain = -1 and b.shard = -9223372036854775808 and b.seqno = r.last
  left join network n on n.id = 1`,
  columns: {
    network: [
      `case n.root_hash ${NETWORKS} else 'other' end`,
      'mainnet or testnet, by the zerostate; other: a sample or a network of your own, see zerostate.',
    ],
    first_seqno: ['r.first', 'First indexed masterchain block.'],
    last_seqno: ['r.last', 'Last indexed masterchain block.'],
    last_block_time: ['to_timestamp(b.gen_utime)', 'Its time.'],
    lag_seconds: ['extract(epoch from now())::int8 - b.gen_utime', 'Its age in seconds.'],
    gaps: [
      `(select coalesce(jsonb_agg(jsonb_build_object('from', g.from_seqno, 'to', g.to_seqno)
      order by g.from_seqno), '[]') from (select to_seqno + 1 as from_seqno,
        lead(from_seqno) over (order by from_seqno) - 1 as to_seqno from indexed_ranges) g
      where g.to_seqno is not null)`,
      'Missing masterchain blocks in between, as JSON.',
    ],
    zerostate: [hash('n.root_hash'), 'Root hash of the zerostate, base64: no two networks share it.'],
    global_id: ['b.global_id', 'Number that its blocks carry: -239 mainnet and its copies, -3 testnet.'],
  },
}

export const TOTAL_VIEWS: readonly View[] = [days, jettonDays, indexer]
