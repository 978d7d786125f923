import type { OnlineIndex } from './online-index.ts'

/**
 * Claims, the age of the queue and look-ups by reason follow an index, so that their cost does not depend on
 * the length of a queue.
 */
export const online: readonly OnlineIndex[] = [
  {
    table: 'refresh_queue',
    name: 'refresh_queue_fresh',
    definition: '(lt) where leased_until is null',
  },
  {
    table: 'refresh_queue',
    name: 'refresh_queue_leased',
    definition: '(leased_until) where leased_until is not null',
  },
  // A contract may fail with a text that is too long for an index.
  {
    table: 'missing_states',
    name: 'missing_states_what',
    definition: '("left"(what, 80) collate "C", since)',
  },
  // Rows of one transaction have the same time, which a tree stores once.
  {
    table: 'unclassified_traces',
    name: 'unclassified_traces_queued_at',
    definition: '(queued_at)',
  },
  { table: 'changed_facts', name: 'changed_facts_next', definition: '(below_lt desc, account_id)' },
  { table: 'asked_facts', name: 'asked_facts_trace_id', definition: 'using hash (trace_id)' },
]
