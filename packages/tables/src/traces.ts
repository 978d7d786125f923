import type { AccountId, Lt, McBlockSeqno } from '@shardwalk/model'
import { SHORT_ID_BYTES } from './actions.ts'
import { brinByTime, bytea, defineTable, int2, int4, int8, timestamptz } from './define-table.ts'

/**
 * Order of `traces.state`, which stores the index. `complete`: no message is pending and nothing can change
 * the trace.
 */
export const TRACE_STATE = ['complete', 'pending', 'broken'] as const
/** Value of `traces.state`. */
export const COMPLETE_TRACE = TRACE_STATE.indexOf('complete')

const byFirstBytes = (column: string) =>
  `(substr(${column}, 1, ${SHORT_ID_BYTES})) WHERE (${column} IS NOT NULL)`

/** External-in messages with one value of the column, in the order of lists. */
const inOrderOfHashes = (column: string) =>
  `(${column}, substr(external_hash, 1, ${SHORT_ID_BYTES})) WHERE (${column} IS NOT NULL)`

/** Written by the batch sink, which joins traces; read by the classifier and the API. */
export const traces = defineTable('traces', {
  comment: 'One row per trace, whatever its state.',
  notes: `Roots received an external message, a message that no transaction sent (minted or recovered
coins), or none at all. A pending trace waits for the receiver of a message. A broken trace begins with a
message whose sender is not indexed, because it is before the first indexed block or in quarantine; it is
merged into the sender's trace when that is indexed. Lists of the API contain complete traces, and look-ups
by hash every trace. A contract that keeps calling itself has one endless trace, which takes one row. The
function \`pieces_of_trace(piece)\` lists the pieces, by which its transactions are found.

There is no primary key: traces are looked up by id and listed by other columns, so a hash index of 12 bytes
per transaction replaces a B-tree of 26. Locks on messages and rows while traces are written keep ids unique.
\`traces_long\` serves the list of an account's traces: only a long trace can end far from the account's
transactions. External-in messages are found and listed by the first bytes of their hashes here, because
\`messages\` has an index for each partition.`,
  indexes: {
    traces_end_lt: '(end_lt) WHERE (state = 0)',
    traces_end_utime: '(end_utime) WHERE (state = 0)',
    traces_external_account: inOrderOfHashes('external_account_id'),
    traces_external_body: inOrderOfHashes('external_body_hash8'),
    traces_external_hash: byFirstBytes('external_hash'),
    traces_external_hash_norm: byFirstBytes('external_hash_norm'),
    traces_external_opcode: inOrderOfHashes('external_opcode'),
    traces_long:
      '(end_lt) WHERE ((state = 0) AND (((end_lt - start_lt) > 100000000) OR ((end_utime - start_utime) > ' +
      '120)))',
    traces_mc_seqno_end: '(mc_seqno_end) WHERE (state = 0)',
    traces_piece: '(piece)',
    traces_time: brinByTime('end_utime'),
    traces_trace_id: "hash (trace_id) WITH (fillfactor='90')",
  },
  columns: {
    piece: int8('The piece with the root.'),
    trace_id: bytea('Hash of the root transaction.'),
    external_hash: bytea("Hash of the root's in message, whatever its kind; null: it has none.").orNull(),
    external_hash_norm: bytea('TEP-467 hash of an external-in root message where it differs.').orNull(),
    external_account_id: int8<AccountId>('The receiver, if the root message is external-in.').orNull(),
    external_body_hash8: int8('`body_hash8` of such a message.').orNull(),
    external_opcode: int4('`opcode` of such a message.').orNull(),
    mc_seqno_start: int4<McBlockSeqno>('Masterchain block that commits the root.'),
    mc_seqno_end: int4<McBlockSeqno>('Newest masterchain block that commits one of its transactions.'),
    start_lt: int8<Lt>('lt of the root.'),
    end_lt: int8<Lt>('Greatest lt of its transactions.'),
    start_utime: int4('Time of the root, Unix seconds.'),
    end_utime: int4('Latest time of its transactions, Unix seconds.'),
    nodes: int4('Transactions.'),
    edges: int4('Messages, external ones and logs included.'),
    pending_edges: int4('Messages of which only one end is indexed.'),
    state: int2('0 complete, 1 pending, 2 broken: index into `TRACE_STATE`.'),
  },
})

/** Written by the batch sink; leads from a transaction to its trace. */
export const tracePieces = defineTable('trace_pieces', {
  comment: 'One row per piece that does not begin its trace.',
  notes: `The transactions of one masterchain block that messages connect are a piece. Its name is the seqno
of that block (upper 32 bits) and the rank of its root among the pieces of the block by lt, then hash, so it
never changes. Pieces are joined by these rows alone. An ancestor is the earliest piece to which messages
lead back inside the smallest group of 8, 64, 512, ... masterchain blocks (aligned to their number) that
contains the piece and the sender of its message: a few steps lead from any piece to the root, and a trace
that is continued backwards changes few rows. The functions \`root_of_piece(piece)\`, \`trace_id_of(piece)\`
and \`pieces_of_trace(piece)\` follow the rows.`,
  primaryKey: ['piece'],
  indexes: { trace_pieces_ancestor: '(ancestor)' },
  columns: {
    piece: int8('The piece.'),
    ancestor: int8('An earlier piece of the trace.'),
  },
})

export const unclassifiedTraces = defineTable('unclassified_traces', {
  comment: 'Complete traces to classify, for the first time or again: the queue of the classifier.',
  notes: `Filled in the transaction that completes a trace, emptied in the one that writes its actions. See
docs/actions.md for when a trace is classified.`,
  primaryKey: ['trace_id'],
  indexes: { unclassified_traces_end_lt: '(end_lt)', unclassified_traces_queued_at: '(queued_at)' },
  columns: {
    trace_id: bytea('Hash of the root transaction.'),
    end_lt: int8<Lt>('Greatest lt of its transactions.'),
    queued_at: timestamptz(
      'When it was queued; when it is tried again, if it could not be read.',
    ).withDefault(),
  },
})

export const changedFacts = defineTable('changed_facts', {
  comment: 'Contracts whose facts changed since traces that read them were classified.',
  notes: `Filled in the transaction that changes a fact used by classification; emptied when all traces of
the account are queued. Facts change under an advisory lock that classifiers share, so that none reads
before a change and writes after it.`,
  primaryKey: ['account_id'],
  indexes: { changed_facts_next: '(below_lt DESC, account_id)' },
  columns: {
    account_id: int8<AccountId>('The contract.'),
    below_lt: int8<Lt>(
      'Traces of its transactions before this lt are still to be queued; null: all of them.',
    ).orNull(),
    asked_id: int8<AccountId>('Last row of `asked_facts` whose trace was queued; null: none yet.').orNull(),
    asked_trace_id: bytea('The same: its trace.').orNull(),
  },
})

/** Written by the classifier; read when a fact changes, to queue these traces again. */
export const askedFacts = defineTable('asked_facts', {
  comment: "Accounts that a trace's actions depend on although it has no transaction there.",
  notes: 'A superfluous row does no harm: the trace is classified again. Replaced with the actions.',
  primaryKey: ['account_id', 'trace_id'],
  indexes: { asked_facts_trace_id: 'hash (trace_id)' },
  columns: {
    account_id: int8<AccountId>('The id derived from the address, indexed or not.'),
    trace_id: bytea('Hash of the root transaction.'),
  },
})
