import { IndexerError } from '@shardwalk/model'

/** A server's proof does not show what the server claims. The answer must be thrown away and the server reported. */
export class ProofError extends IndexerError {
  readonly code = 'proof_failed'
  readonly retry = 'later'

  constructor(
    /** What was being proved, e.g. `block proof link 3 forward`. */
    readonly subject: string,
    problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${subject}: ${problem}`, options)
  }
}

/** Throws `ProofError` unless the condition holds. */
export function prove(condition: boolean, subject: string, problem: string): asserts condition {
  if (!condition) throw new ProofError(subject, problem)
}

/** Runs a reader; whatever malformed cells make it throw becomes a `ProofError` about the subject. */
export function proving<T>(subject: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProofError) throw error
    throw new ProofError(subject, error instanceof Error ? error.message : String(error), { cause: error })
  }
}
