/**
 * Base of all typed errors. `code` is stable and in snake_case; `retry` tells whether trying again can help.
 */
export abstract class IndexerError extends Error {
  abstract readonly code: string
  abstract readonly retry: 'later' | 'never'

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * Bytes that do not have the expected layout. `path` names the model and the field, e.g.
 * `block_info.prev_ref`.
 */
export class DecodeError extends IndexerError {
  readonly code = 'decode_failed'
  readonly retry = 'never'

  constructor(
    readonly path: string,
    problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${path}: ${problem}`, options)
  }
}

/** What was thrown, as text. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
