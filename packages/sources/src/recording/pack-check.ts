import { createHash, hash as hashOf } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { formatBlockId } from '@shardwalk/model'
import type { PackFile } from '../pack/pack-file.ts'
import { RecordingDamaged } from './errors.ts'
import type { PackFacts, RecordedBlock } from './format.ts'

const PIECE_BYTES = 1 << 20

/** Throws `RecordingDamaged` if an uncompressed package is too short. Does not read the file. */
export async function checkPackSize(path: string, size: number): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found && found.size < size) throw tooShort(path, found.size, size)
}

/**
 * Reads the package once, in chunks, and compares size and hash with the index; the error names the first
 * wrong block. Bytes beyond the size were appended by a recording in progress and are ignored.
 */
export async function checkPack(
  pack: PackFile,
  { size, sha256 }: PackFacts,
  blocks: Iterable<RecordedBlock>,
): Promise<void> {
  if (pack.size < size) throw tooShort(pack.path, pack.size, size)
  const hash = createHash('sha256')
  for (let offset = 0; offset < size; offset += PIECE_BYTES) {
    const wanted = Math.min(PIECE_BYTES, size - offset)
    const piece = await pack.read(offset, wanted)
    if (piece.length < wanted) throw tooShort(pack.path, offset + piece.length, size)
    hash.update(piece)
  }
  if (hash.digest().equals(sha256)) return
  for (const { id, dataOffset, size } of blocks) {
    if (hashOf('sha256', await pack.read(dataOffset, size), 'buffer').equals(id.fileHash)) continue
    const problem = `does not hold ${formatBlockId(id)} at offset ${dataOffset} where index.json says so`
    throw new RecordingDamaged(pack.path, dataOffset, problem)
  }
  throw new RecordingDamaged(
    pack.path,
    0,
    `holds other bytes than index.json says, in ${size} bytes from offset 0 on, between its blocks`,
  )
}

const tooShort = (path: string, end: number, size: number): RecordingDamaged =>
  new RecordingDamaged(path, end, `ends at offset ${end}, index.json says ${size}`)
