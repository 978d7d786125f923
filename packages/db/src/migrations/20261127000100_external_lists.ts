import type { OnlineIndex } from './online-index.ts'

const inOrderOfHashes = (name: string, column: string): OnlineIndex => ({
  table: 'traces',
  name,
  definition: `(${column}, substr(external_hash, 1, 7)) where ${column} is not null`,
})

/** The lists of external-in messages with a receiver, a body or an opcode, ordered by hash. */
export const online: readonly OnlineIndex[] = [
  inOrderOfHashes('traces_external_account', 'external_account_id'),
  inOrderOfHashes('traces_external_body', 'external_body_hash8'),
  inOrderOfHashes('traces_external_opcode', 'external_opcode'),
]
