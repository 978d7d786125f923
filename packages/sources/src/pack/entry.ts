import type { BlockId } from '@shardwalk/model'
import { encodeEntryHeader } from './format.ts'
import { formatEntryName, type PackEntryKind } from './names.ts'

/** Bytes of an entry of a package: header, then data. */
export const encodeEntry = (kind: PackEntryKind, id: BlockId, data: Buffer): readonly [Buffer, Buffer] => [
  encodeEntryHeader(formatEntryName(kind, id), data.length),
  data,
]
