import type { Panel, Section } from './grafana.ts'

/** A line per column over time, in steps that fit the width of the panel. */
const overTime = (title: string, view: string, columns: string, more: Partial<Panel> = {}): Panel => ({
  title,
  sql: `select date_bin('$__interval', block_time, 'epoch') as time, ${columns}
from analytics.${view}
where $__timeFilter(block_time)
group by 1 order by 1`,
  ...more,
})
const table = (title: string, sql: string, more: Partial<Panel> = {}): Panel => ({
  title,
  as: 'table',
  sql,
  ...more,
})

/** What happens on the chain, in the chosen time, from the views of docs/views.md. */
export const CHAIN: readonly Section[] = [
  {
    title: 'Index',
    panels: [
      {
        title: 'Newest block',
        as: 'number',
        width: 6,
        sql: 'select last_seqno from analytics.indexer',
      },
      {
        title: 'Its age',
        as: 'number',
        unit: 's',
        width: 6,
        sql: 'select lag_seconds from analytics.indexer',
      },
      {
        title: 'First block',
        as: 'number',
        width: 6,
        help: 'What came before is in no panel.',
        sql: 'select first_seqno from analytics.indexer',
      },
      {
        title: 'Gaps',
        as: 'number',
        width: 6,
        sql: 'select jsonb_array_length(gaps::jsonb) as gaps from analytics.indexer',
      },
    ],
  },
  {
    title: 'Load',
    panels: [
      overTime(
        'Transactions',
        'transactions',
        'count(*) as transactions, count(*) filter (where not success) as failed',
      ),
      overTime('Active accounts', 'transactions', 'count(distinct account) as accounts', {
        help: 'Accounts with at least one transaction in the step.',
      }),
      overTime('Fees, TON', 'transactions', 'sum(fees_ton) as fees'),
      overTime('Transfers of TON', 'transfers', 'sum(value_ton) filter (where success) as ton', {
        help: 'What was sent, back and forth too.',
      }),
      table(
        'What messages ask for',
        `select opcode, opcode_name, count(*) as messages
from analytics.messages
where $__timeFilter(block_time) and kind = 'internal' and opcode is not null
group by opcode, opcode_name order by messages desc limit 20`,
      ),
      table(
        'Why transactions fail',
        `select exit_code, action_result_code, count(*) as transactions
from analytics.transactions
where $__timeFilter(block_time) and not success
group by exit_code, action_result_code order by transactions desc limit 20`,
      ),
      table(
        'Busiest accounts',
        `select account, count(*) as transactions, sum(fees_ton) as fees_ton
from analytics.transactions
where $__timeFilter(block_time) and kind = 'ord'
group by account order by transactions desc limit 20`,
      ),
      table(
        'Largest transfers of TON',
        `select block_time, value_ton, source, destination, comment
from analytics.transfers
where $__timeFilter(block_time) and success
order by value_ton desc limit 20`,
      ),
    ],
  },
  {
    title: 'Actions',
    panels: [
      table(
        'What people did',
        `select type, count(*) as actions, round(avg(success::int) * 100, 1) as percent_successful
from analytics.actions
where $__timeFilter(block_time) and parent_action_id is null
group by type order by actions desc limit 20`,
      ),
      table(
        'Jettons by transfers',
        `select jetton, max(symbol) as symbol, count(*) as transfers, count(distinct source) as senders,
  sum(amount) as volume
from analytics.jetton_transfers
where $__timeFilter(block_time)
group by jetton order by transfers desc limit 20`,
        { help: 'The address identifies a jetton: anybody can choose any symbol.' },
      ),
      overTime('Transfers of jettons', 'jetton_transfers', 'count(*) as transfers'),
      overTime('Swaps', 'dex_trades', 'count(*) as swaps, count(distinct trader) as traders'),
      table(
        'Swaps by pool',
        `select dex, pool, count(*) as swaps, count(distinct trader) as traders
from analytics.dex_trades
where $__timeFilter(block_time)
group by dex, pool order by swaps desc limit 20`,
      ),
      table(
        'Sales of NFTs by collection',
        `select collection, count(*) as sales, sum(price_ton) as volume_ton, min(price_ton) as cheapest_ton
from analytics.nft_sales
where $__timeFilter(block_time)
group by collection order by volume_ton desc nulls last limit 20`,
      ),
    ],
  },
]
