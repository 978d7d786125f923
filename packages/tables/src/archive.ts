import type { Lt } from '@shardwalk/model'
import { defineTable, enumeration, int2, int8, text } from './define-table.ts'

/** Order of `archived_partitions.state`, which stores the index. */
export const ARCHIVE_STATE = ['copying', 'switched', 'archived', 'returning', 'returned'] as const

/** Written by `shardwalk archive`; read wherever rows of the archive must not be written. */
export const archivedPartitions = defineTable('archived_partitions', {
  comment: 'Partitions of `transactions` and `messages` that are on another server, or on the way.',
  notes: `\`shardwalk archive\` goes on from the state in which it was interrupted. Reads of \`switched\`,
\`archived\` and \`returning\` go to the server. See docs/scaling.md.`,
  primaryKey: ['from_lt'],
  columns: {
    from_lt: int8<Lt>('First lt of the partitions.'),
    to_lt: int8<Lt>('First lt after them.'),
    server: text('Foreign server of `postgres_fdw`.'),
    state: int2(`${enumeration(ARCHIVE_STATE)}: index into \`ARCHIVE_STATE\`.`),
  },
})
