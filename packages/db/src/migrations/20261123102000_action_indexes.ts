import type { OnlineIndex } from './online-index.ts'

/**
 * The order of lists with seven bytes of the trace's id instead of two whole hashes: what is equal in them is
 * sorted when it is read. Seven bytes and their length need no padding.
 */
export const online: readonly OnlineIndex[] = [
  {
    table: 'actions',
    name: 'actions_order_lt',
    definition: '(trace_end_lt, substr(trace_id, 1, 7), end_lt)',
  },
  {
    table: 'actions',
    name: 'actions_order_utime',
    definition: '(trace_end_utime, substr(trace_id, 1, 7), end_utime)',
  },
  {
    table: 'actions',
    name: 'actions_action_bytes',
    definition: 'using hash (substr(action_id, 1, 7))',
  },
  { table: 'actions', name: 'actions_trace_id', definition: 'using hash (trace_id)' },
]
