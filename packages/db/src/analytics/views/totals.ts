import type { View } from '../define-view.ts'

const dayOf = (column: string): string => `(to_timestamp(${column}) at time zone 'UTC')::date`

const days: View = {
  name: 'daily_stats',
  comment: 'One row per day (UTC) with blocks.',
  notes: `Computed when it is read: name the days that are needed, \`where day >= current_date - 7\`. The
first and the last indexed day are usually incomplete.`,
  from: `from (select ${dayOf('gen_utime')} as day, count(*) as blocks from blocks group by 1) b
  left join (
    select ${dayOf('now')} as day, count(*) as transactions, count(distinct account_id) as active,
      count(distinct account_id) filter (where prev_trans_lt = 0) as new, sum(total_fees) as fees,
      count(*) filter (where aborted) as failed
    from transactions group by 1
  ) t on t.day = b.day
  left join (select ${dayOf('created_at')} as day, count(*) as messages, sum(value) as value
    from messages where kind = 0 group by 1) m on m.day = b.day`,
  columns: {
    day: ['b.day', 'The day.'],
    blocks: ['b.blocks', 'Blocks of all shards.'],
    transactions: ['coalesce(t.transactions, 0)', 'Transactions.'],
    active_accounts: ['coalesce(t.active, 0)', 'Accounts with at least one transaction.'],
    new_accounts: ['coalesce(t.new, 0)', 'Accounts with their first transaction.'],
    fees_ton: ['coalesce(t.fees, 0) * 0.000000001', 'Fees of transactions, TON.'],
    failed_share: ['round(t.failed::numeric / nullif(t.transactions, 0), 4)', 'Aborted transactions, of 1.'],
    internal_messages: ['coalesce(m.messages, 0)', 'Messages from contract to contract.'],
    moved_ton: ['coalesce(m.value, 0) * 0.000000001', 'Their values, TON.'],
  },
}

const jettonDays: View = {
  name: 'daily_jetton_stats',
  comment: 'One row per day (UTC) and jetton with transfers.',
  notes: 'Computed when it is read: name days or jettons. Volumes count what was sent, back and forth too.',
  from: `from (
    select ${dayOf('now')} as day, jetton_id, count(*) as transfers, count(distinct source_id) as senders,
      count(distinct destination_id) as receivers, sum(amount) as volume
    from jetton_transfers where confirmed and not aborted group by 1, 2
  ) t left join accounts a on a.id = t.jetton_id`,
  columns: {
    day: ['t.day', 'The day.'],
    jetton: ['analytics.address_text(a.workchain, a.address)', 'Address of the master.'],
    symbol: [
      `(select j.symbol from analytics.jettons j
      where j.address = analytics.address_text(a.workchain, a.address))`,
      'Symbol; null: not known.',
    ],
    transfers: ['t.transfers', 'Transfers.'],
    senders: ['t.senders', 'Different senders.'],
    receivers: ['t.receivers', 'Different receivers.'],
    volume: [
      `analytics.units(t.volume, (select j.decimals from analytics.jettons j
      where j.address = analytics.address_text(a.workchain, a.address)))`,
      'Sum of the amounts, in whole units.',
    ],
    volume_raw: ['t.volume', 'The same in the smallest unit.'],
  },
}

const indexer: View = {
  name: 'indexer',
  comment: 'One row: what is indexed. Look here first: what is not indexed is in no answer.',
  from: `from (select min(from_seqno) as first, max(to_seqno) as last from indexed_ranges) r
  left join blocks b on b.workchain = -1 and b.shard = -9223372036854775808 and b.seqno = r.last`,
  columns: {
    network: [
      "case b.global_id when -239 then 'mainnet' when -3 then 'testnet' else b.global_id::text end",
      'mainnet, testnet, or the number of another network.',
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
  },
}

export const TOTAL_VIEWS: readonly View[] = [days, jettonDays, indexer]
