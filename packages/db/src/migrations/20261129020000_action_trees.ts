import type { OnlineIndex } from './online-index.ts'

/**
 * B-trees that store what the actions of a trace, or of a second, have in common once. The next migration
 * gives them their names.
 */
export const online: readonly OnlineIndex[] = [
  {
    table: 'actions',
    name: 'actions_tree_order_lt',
    definition: '(trace_end_lt, substr(trace_id, 1, 7))',
  },
  { table: 'actions', name: 'actions_tree_order_utime', definition: '(trace_end_utime)' },
  { table: 'actions', name: 'actions_tree_trace_id', definition: '(trace_id)' },
]
