import type { Lt } from '@shardwalk/model'
import { bytea, defineTable, enumeration, int2, int4, int8, text } from './define-table.ts'

/** Order of `archived_partitions.state`, which stores the index. */
export const ARCHIVE_STATE = ['copying', 'switched', 'archived', 'returning', 'returned'] as const

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
    transaction_blocks: int4('Rows of `archived_hashes` for `transactions`.').withDefault(),
    message_blocks: int4('Rows of `archived_hashes` for `messages`.').withDefault(),
  },
})

export const archivedHashes = defineTable('archived_hashes', {
  comment: 'Which hashes an archived partition may have, so that look-ups by hash leave the others out.',
  notes: `A Bloom filter in blocks, 12 bits per hash: the first four bytes of a hash choose the block, each of
the next six pairs of bytes a bit of it. One hash in some 200 is looked up in vain.`,
  primaryKey: ['of_table', 'from_lt', 'block'],
  columns: {
    of_table: text('`transactions` or `messages`.'),
    from_lt: int8<Lt>('First lt of the partition.'),
    block: int4('Number of the block, from 0.'),
    bits: bytea('8,192 bits, the lowest of each byte first.'),
  },
})
