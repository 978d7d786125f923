import { bytea, defineTable, timestamptz } from './define-table.ts'

/** Written and read by the API, to find what a client sent before it is in the chain. */
export const sentMessages = defineTable('sent_messages', {
  comment: 'External messages that clients sent through this service.',
  notes: 'Written beside the reply, kept for an hour and at most 20,000 of them; may be emptied at any time.',
  primaryKey: ['hash_norm'],
  indexes: { sent_messages_sent_at: '(sent_at)' },
  columns: {
    hash_norm: bytea('TEP-467 hash.'),
    boc: bytea('The message as it was sent, a bag of cells.'),
    sent_at: timestamptz('When it was sent last.').withDefault(),
  },
})
