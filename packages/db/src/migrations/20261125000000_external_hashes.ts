import type { OnlineIndex } from './online-index.ts'

/**
 * A message from outside begins a trace, so that these lead to it by hash, and list all of them in the order
 * of hashes, whatever the number of partitions. Seven bytes of a hash and their length need no padding.
 */
export const online: readonly OnlineIndex[] = [
  {
    table: 'traces',
    name: 'traces_external_hash',
    definition: '(substr(external_hash, 1, 7)) where external_hash is not null',
  },
  {
    table: 'traces',
    name: 'traces_external_hash_norm',
    definition: '(substr(external_hash_norm, 1, 7)) where external_hash_norm is not null',
  },
]
