import { CELL, type Cell } from '@shardwalk/cells'
import { RecentMap } from '@shardwalk/model'

/** Cells of a code that are searched: more than any code that fits into a state has. */
const MAX_CELLS = 10_000
/** Codes, data and messages whose references are remembered. */
const MAX_KNOWN = 2_000
/** Libraries made known for one of them; whoever made it may name thousands. */
export const MAX_LIBRARIES_OF_CODE = 16

const known = new RecentMap<string, readonly Buffer[]>(MAX_KNOWN)

/**
 * Hashes of the library cells in a code, data or a message, as many as are made known. The transaction
 * executor does not tell which library a run lacked, so they are looked for.
 */
export function libraryReferences(code: Cell): readonly Buffer[] {
  const key = code.hash().toString('latin1')
  const found = known.get(key) ?? search(code)
  known.set(key, found)
  return found
}

function search(code: Cell): readonly Buffer[] {
  const hashes = new Map<string, Buffer>()
  const seen = new Set<Cell>([code])
  // The set grows while it is walked.
  for (const cell of seen) {
    if (hashes.size >= MAX_LIBRARIES_OF_CODE) break
    if (cell.type === CELL.library) hashes.set(cell.hash().toString('latin1'), libraryHash(cell))
    for (const child of cell.refs) if (seen.size < MAX_CELLS) seen.add(child)
  }
  return [...hashes.values()]
}

/** Source: node, crypto/vm/cells/CellTraits.h, library cell: tag 02, hash of the cell it stands for. */
const libraryHash = (cell: Cell): Buffer => Buffer.from(cell.data.subarray(1, 33))
