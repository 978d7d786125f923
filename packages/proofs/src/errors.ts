import { errorMessage, IndexerError } from '@shardwalk/model'

/** A proof does not support the server's claim. Discard the answer and report the server. */
export class ProofError extends IndexerError {
  readonly code = 'proof_failed'
  readonly retry = 'later'

  constructor(
    /** What was being proven, e.g. `block proof link 3 forward`. */
    readonly subject: string,
    problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${subject}: ${problem}`, options)
  }
}

/** What is proven has a form that this version does not know; the sender need not be dishonest. */
export class FormNotKnown extends IndexerError {
  readonly code = 'form_not_known'
  readonly retry = 'later'
}

/** Throws `ProofError` unless the condition holds. */
export function prove(condition: boolean, subject: string, problem: string): asserts condition {
  if (!condition) throw new ProofError(subject, problem)
}

/** Runs a reader and converts decoding errors to a `ProofError` about the subject. */
export function proving<T>(subject: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProofError || error instanceof FormNotKnown) throw error
    throw new ProofError(subject, errorMessage(error), { cause: error })
  }
}
