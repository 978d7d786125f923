import type { AccountId, Lt } from '@shardwalk/model'
import {
  bytea,
  byteaArray,
  defineTable,
  int2,
  int4,
  int8,
  text,
  textArray,
  timestamptz,
} from './define-table.ts'

/**
 * Order of `pending_traces.state`, which stores the index. `admitted`: not emulated yet, and not shown to
 * readers; `pending`: emulated; `invalidated`: it will not be executed.
 */
export const PENDING_STATE = ['admitted', 'pending', 'invalidated'] as const

/** Written and read by the processes of the API, which share the work of emulating. */
export const pendingTraces = defineTable('pending_traces', {
  comment: 'External messages whose traces are not complete yet, and what they are expected to do.',
  notes: `Unlogged: a crash of the server empties it, and it does not exist on replicas. What has happened is
in the tables of the chain alone; a row adds what was emulated after it. Rows are few (see
docs/streaming.md), so that most statements read all of them.`,
  primaryKey: ['hash_norm'],
  indexes: { pending_traces_accounts: 'gin (accounts)', pending_traces_hash: 'hash (hash)' },
  columns: {
    hash_norm: bytea('TEP-467 hash of the message.'),
    hash: bytea('Hash of the message as it was sent last.'),
    boc: bytea('The message, a bag of cells; empty once it was invalidated.'),
    account: text('The receiver, in raw form.'),
    account_id: int8<AccountId>('The id derived from the address, indexed or not.'),
    state: int2('0 admitted, 1 pending, 2 invalidated: index into `PENDING_STATE`.'),
    reason: text('Why it was invalidated; null: it is not.').orNull(),
    version: int4('Grows with every change that readers see.'),
    accounts: textArray('Accounts of its transactions and actions, in raw form.'),
    trace: text(
      'What was emulated, as JSON (`StoredTrace` of packages/pending); null: nothing yet.',
    ).orNull(),
    trace_id: bytea('Hash of the root transaction; null: it is not indexed yet.').orNull(),
    seen_lt: int8<Lt>(
      "lt of the receiver's last transaction in the state that was used; null: no state yet.",
    ).orNull(),
    seen_nodes: int4('Indexed transactions of the trace that `trace` includes.'),
    admitted_at: timestamptz('When it was sent.'),
    changed_at: timestamptz('When readers last saw a change.'),
    expires_at: timestamptz('When it is given up, unless it happens.'),
    due_at: timestamptz('When a worker looks at it again; infinity while one does.'),
    leased_until: timestamptz('When another worker may take it over; null: nobody looks at it.').orNull(),
    lease: int4('Number of the examination: only the last one may store its result.'),
    awaited: byteaArray(
      'Hashes of its messages that no transaction is known to have received, normalised if external.',
    ),
  },
})
