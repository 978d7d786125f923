import { type BlockId, formatBlockId, parseBlockId } from '@shardwalk/model'

/** What entries of archive packages contain: a block, its proof by signatures or links, a zerostate. */
export type PackEntryKind = 'block' | 'proof' | 'prooflink' | 'zerostate'

const KINDS: readonly PackEntryKind[] = ['block', 'proof', 'prooflink', 'zerostate']

/**
 * Kind and block of an entry; undefined for unused kinds (signatures, candidates, states) and for damaged
 * names.
 * Source: node, validator/db/fileref.cpp.
 */
export function parseEntryName(name: string): { kind: PackEntryKind; id: BlockId } | undefined {
  const cut = name.indexOf('_')
  const kind = KINDS.find((known) => known === name.slice(0, cut))
  const id = kind && parseBlockId(name.slice(cut + 1))
  return kind && id ? { kind, id } : undefined
}

/** The pair of `parseEntryName`. */
export const formatEntryName = (kind: PackEntryKind, id: BlockId): string => `${kind}_${formatBlockId(id)}`
