import { DecodeError } from '@shardwalk/model'

/** A reader needed a cell that a proof or state update omits. The cell exists, but not in these bytes. */
export class PrunedCellError extends DecodeError {
  constructor(
    path: string,
    /** Level-0 hash of the missing cell. */
    readonly prunedHash: Buffer,
  ) {
    super(path, `cell ${prunedHash.toString('hex')} is pruned here`)
  }
}

/** Prepends `path` to the path of a decoding error; returns other errors unchanged. */
export function atPath(path: string, error: unknown): unknown {
  if (error instanceof PrunedCellError) return new PrunedCellError(`${path}.${error.path}`, error.prunedHash)
  if (!(error instanceof DecodeError)) return error
  const problem = error.message.slice(error.path.length + 2)
  return new DecodeError(`${path}.${error.path}`, problem, { cause: error.cause })
}
