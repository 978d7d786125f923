import type { Lt } from '@shardwalk/model'
import { bool, bytea, defineTable, int2, int4, int8, text, timestamptz } from './define-table.ts'

export const hashFilters = defineTable('hash_filters', {
  comment: 'Finished partitions of `transactions` and `messages` of which is known what they may have.',
  notes: `Ingest makes them. A row that is written to such a partition puts its filter out of force until that
is made again, after an hour at the earliest.`,
  primaryKey: ['of_table', 'from_lt'],
  columns: {
    of_table: text('`transactions` or `messages`.'),
    from_lt: int8<Lt>('First lt of the partition.'),
    to_lt: int8<Lt>('First lt after it.'),
    group_no: int2('Up to 32 filters of one size share the rows of `hash_filter_bits`. -1: in none yet.'),
    slot: int2('Place of the filter in these rows, from 0.'),
    blocks: int4('Number of blocks of the filter, a power of 2.'),
    is_complete: bool('Whether look-ups rely on it.'),
    written_at: timestamptz('When a row was written to the partition after the filter was begun.').orNull(),
  },
})

/** Written by ingest with `hash_filters`; read by every search for a hash. */
export const hashFilterBits = defineTable('hash_filter_bits', {
  comment: 'Which hashes, and pairs of values of messages, a finished partition may have.',
  notes: `Look-ups leave the other partitions out. Bloom filters in blocks of 120 bytes, with at least 12
bits per key: the hash of each row and, for messages, 16 bytes for each two of source, destination and opcode.
The last bits of the first four bytes of a key choose the block, each of the next six pairs of bytes a bit of
it. For one key in some 300 a partition is searched that does not have it.`,
  primaryKey: ['group_no', 'block'],
  columns: {
    group_no: int2('Refers to `hash_filters`.'),
    block: int4('Number of the block, from 0.'),
    bits: bytea('Blocks of all filters of the group, by slot; in each byte the lowest bit first.'),
  },
})
