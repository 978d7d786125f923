/**
 * A request that API v2 cannot accept, HTTP 422 unless it says otherwise. `inner` is the documented text; the stage decides the words
 * before it. Source: API v2 specification 1.6.
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

  /** The text that the client gets. */
  text(form: V2Form): string {
    if (this.stage === 'plain') return this.inner
    return this.stage === 'validate'
      ? `failed to validate request: ${this.inner}`
      : `failed to parse ${form} request: ${this.inner}`
  }
}

/** How parameters came: in the query string, or as a JSON object. */
export type V2Form = 'get' | 'post'

/** Input shown back to its sender, cut. */
export const shown = (text: string): string => (text.length > 128 ? `${text.slice(0, 128)}…` : text)
