import type { OnlineIndex } from './online-index.ts'

/**
 * Views show times and days, and programs filter by them. Rows are stored nearly in the order of time, so a
 * few bytes for 32 pages tell which of them to read.
 */
const byTime = (table: string, column: string): OnlineIndex => ({
  table,
  name: `${table}_time`,
  definition:
    `using brin (to_timestamp(${column}), ((to_timestamp(${column}) at time zone 'UTC')::date)) ` +
    "with (pages_per_range = '32', autosummarize = 'on')",
})

export const online: readonly OnlineIndex[] = [
  {
    table: 'accounts',
    name: 'accounts_address_text',
    definition: 'using hash (analytics.address_text(workchain, address))',
  },
  byTime('blocks', 'gen_utime'),
  byTime('transactions', 'now'),
  byTime('messages', 'created_at'),
  byTime('traces', 'end_utime'),
  byTime('actions', 'end_utime'),
  byTime('action_accounts', 'end_utime'),
  byTime('jetton_transfers', 'now'),
  byTime('jetton_burns', 'now'),
  byTime('nft_transfers', 'now'),
]
