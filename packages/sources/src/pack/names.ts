import { type BlockId, formatBlockId, parseBlockId } from '@shardwalk/model'

export type PackEntryKind = 'block' | 'proof' | 'prooflink' | 'zerostate'

const KINDS: readonly PackEntryKind[] = ['block', 'proof', 'prooflink', 'zerostate']

/**
 * What an entry holds; undefined for kinds nobody here reads (signatures, candidates, states) and for damaged names.
 * Source: ton, validator/db/fileref.cpp.
 */
export function parseEntryName(name: string): { kind: PackEntryKind; id: BlockId } | undefined {
  const cut = name.indexOf('_')
  const kind = KINDS.find((known) => known === name.slice(0, cut))
  const id = kind && parseBlockId(name.slice(cut + 1))
  return kind && id ? { kind, id } : undefined
}

export const formatEntryName = (kind: PackEntryKind, id: BlockId): string => `${kind}_${formatBlockId(id)}`
