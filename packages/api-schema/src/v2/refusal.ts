/**
 * A request that API v2 does not accept, with HTTP status 422 unless stated otherwise. `inner` is the
 * documented text; `stage` determines the prefix.
 */
export class V2Refusal extends Error {
  constructor(
    readonly inner: string,
    readonly stage: 'parse' | 'validate' | 'plain' = 'parse',
    readonly status = 422,
  ) {
    super(inner)
    this.name = 'V2Refusal'
  }

  /** Error text for the client. */
  text(form: V2Form): string {
    if (this.stage === 'plain') return this.inner
    return this.stage === 'validate'
      ? `failed to validate request: ${this.inner}`
      : `failed to parse ${form} request: ${this.inner}`
  }
}

/** How parameters were given: in the query string or as a JSON object. */
export type V2Form = 'get' | 'post'

/** Input repeated in error messages, truncated. */
export const shown = (text: string): string => (text.length > 128 ? `${text.slice(0, 128)}…` : text)
