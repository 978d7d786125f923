import type { AccountId, McBlockSeqno } from '@shardwalk/model'
import { bool, bytea, defineTable, enumeration, int2, int4, int8, text, timestamptz } from './define-table.ts'

/** Order of `watched.kind`, which stores the index. */
export const WATCH_KIND = ['address', 'code', 'jetton'] as const

export const watched = defineTable('watched', {
  comment: 'What `WATCH` names; without current rows everything is indexed.',
  notes: `Ingest compares the setting with this table when it starts and changes both tables below with it.
See docs/watch.md.`,
  primaryKey: ['subject'],
  columns: {
    subject: text('As in the setting, addresses in raw form.'),
    kind: int2(`${enumeration(WATCH_KIND)}: index into \`WATCH_KIND\`.`),
    account_id: int8<AccountId>('The account or the jetton master; null: a code.').orNull(),
    code_hash: bytea('Hash of the code; null: an account.').orNull(),
    is_current: bool(
      'False: `WATCH` was unset later. Blocks indexed since then lack nothing about it, so it can return.',
    ),
  },
})

/** Written when `WATCH` grows; emptied as blocks are indexed again. */
export const partialRanges = defineTable('partial_ranges', {
  comment: 'Masterchain blocks that were indexed while less was watched, by what was added since.',
  notes: `Of the subject they have only what something else kept. Indexing a block again removes it here, in
the transaction that writes it.`,
  primaryKey: ['subject', 'from_seqno'],
  columns: {
    subject: text('As in `watched`; `everything`: `WATCH` was unset.'),
    from_seqno: int4<McBlockSeqno>('First seqno of the range.'),
    to_seqno: int4<McBlockSeqno>('Last seqno of the range.'),
  },
})

export const undecidedTraces = defineTable('undecided_traces', {
  comment: 'Complete traces of which it is not decided yet whether `WATCH` keeps them.',
  notes:
    'Filled in the transaction that completes a trace, emptied in the one that decides. See docs/watch.md.',
  primaryKey: ['piece'],
  indexes: { undecided_traces_due_at: '(due_at)' },
  columns: {
    piece: int8('The piece with the root.'),
    due_at: timestamptz('When to look at it, for the first time or again.').withDefault(),
    looks: int4(
      'Times that it could not be decided, because contracts of it were not examined.',
    ).withDefault(),
  },
})

export const watchPass = defineTable('watch_pass', {
  comment: 'One row while every stored trace is queued for a decision because less is watched than before.',
  primaryKey: ['id'],
  columns: {
    id: int4('Always 1.'),
    next_page: int8('Page of `traces` from which on they are to be queued.'),
  },
})
