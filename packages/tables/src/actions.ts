import type { AccountId, Lt, McBlockSeqno } from '@shardwalk/model'
import {
  bool,
  brinByTime,
  bytea,
  defineTable,
  int2,
  int4,
  int8,
  json,
  text,
  textArray,
} from './define-table.ts'

/** Bytes of ids in indexes and in `action_accounts`: with the end of the trace they keep actions apart. */
export const SHORT_ID_BYTES = 7

/** Ids in a row of `action_accounts`, which stays small enough for a page to hold many. */
export const ACTIONS_PER_ROW = 64

/** Written by the classifier, all actions of a trace at once; read by the API, streams and webhooks. */
export const actions = defineTable('actions', {
  comment: 'Actions of complete traces, including constituents of composite actions.',
  notes: `Lists are ordered by the end of the trace, so rows contain it; seven bytes of the trace's id keep
traces with the same end apart. Indexes have only what many rows share, which a B-tree stores once; the
actions of a trace, or of a second, are sorted when they are read. \`details\` is \`json\`, which can
store every character of a comment, including U+0000. It is stored without names of fields and addresses of
\`account_ids\`, which \`analytics.action_details(details, addresses)\` puts back; rows from before have
the object itself. The functions \`account_ids_in(account_ids)\` and \`tx_hashes_of(trace_id, tx_hashes)\`
read what is packed. There is no primary key, because indexes on whole hashes took more space than all others
together: the actions of a trace are replaced as a whole by whoever has claimed the trace.`,
  indexes: {
    actions_action_bytes: `hash (substr(action_id, 1, ${SHORT_ID_BYTES})) WITH (fillfactor='90')`,
    actions_by_type: '(type, trace_end_lt)',
    actions_order_lt: `(trace_end_lt, substr(trace_id, 1, ${SHORT_ID_BYTES}))`,
    actions_order_utime: '(trace_end_utime)',
    actions_time: brinByTime('end_utime'),
    actions_trace_id: '(trace_id)',
  },
  columns: {
    trace_id: bytea('Hash of the root transaction of the trace.'),
    action_id: bytea('Hash of what the action covers.'),
    type: text('Type of the action, e.g. `jetton_transfer`.'),
    success: bool('False: the action failed.'),
    start_lt: int8<Lt>('Smallest lt of its transactions.'),
    end_lt: int8<Lt>('Greatest lt of its transactions.'),
    start_utime: int4('Earliest time of its transactions, Unix seconds.'),
    end_utime: int4('Latest time of its transactions, Unix seconds.'),
    trace_end_lt: int8<Lt>('Greatest lt of the trace.'),
    trace_end_utime: int4('Latest time of the trace, Unix seconds.'),
    trace_mc_seqno_end: int4<McBlockSeqno>(
      "Newest masterchain block that commits one of the trace's transactions.",
    ),
    classifier_version: int2('`CLASSIFIER_VERSION` of the program that made the row.'),
    parent_action_id: bytea('The composite around it; null: none.').orNull(),
    ancestor_type: textArray('Types of the composite actions around it, nearest first; null: none.').orNull(),
    tx_hashes: bytea(
      'Hashes of the transactions that it covers, by lt: 32 bytes each, one after another. A single byte ' +
        'stands for `trace_id` if that is the first.',
    ),
    account_ids: bytea('Ids of the accounts involved, by address: 8 bytes each, one after another.'),
    details: json<Readonly<Record<string, unknown>> | readonly [string, ...unknown[]]>(
      'Fields of the type, packed; amounts are decimal texts.',
    ),
  },
})

/** Written with `actions`; an index of them by account. */
export const actionAccounts = defineTable('action_accounts', {
  comment: 'The traces in which an account has actions, and these.',
  notes: `An action is found by the bytes of its id. An account has a row for each
${ACTIONS_PER_ROW} of its actions in a trace, because most of the space of one row for each action would
repeat the trace.`,
  indexes: {
    action_accounts_order_lt: '(account_id, trace_end_lt)',
    action_accounts_order_utime: '(account_id, trace_end_utime)',
    action_accounts_time: brinByTime('trace_end_utime'),
  },
  columns: {
    account_id: int8<AccountId>('An account involved.'),
    trace_end_lt: int8<Lt>('Greatest lt of the trace.'),
    trace_end_utime: int4('Latest time of the trace, Unix seconds.'),
    trace_bytes: bytea("First seven bytes of the trace's id."),
    action_bytes: bytea('First seven bytes of the id of each action, one after another.'),
  },
})

/** Written by the classifier; read by `shardwalk status` and replies of traces. */
export const classificationFailures = defineTable('classification_failures', {
  comment:
    'Traces that a matcher failed on, or that are too large to be read: they have their basic actions only.',
  primaryKey: ['trace_id'],
  columns: {
    trace_id: bytea('Hash of the root transaction.'),
    classifier_version: int2('`CLASSIFIER_VERSION` of the program that failed.'),
    matcher: text('Name of the matcher; `size`: too large, `storage`: could not be loaded or written.'),
    message_hash: bytea('Message that the matcher looked at.').orNull(),
    error: text('Message of the error.'),
    stack: text('Stack trace.').orNull(),
  },
})
