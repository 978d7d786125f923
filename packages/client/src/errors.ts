/** The server refused a request or could not answer it. */
export class ApiError extends Error {
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** What the server says. */
    message: string,
    /** Seconds after which the request may be repeated, if the server named them. */
    readonly retryAfterSeconds: number | undefined,
    /** Masterchain blocks from which a stream may begin, if the server refused another one. */
    readonly indexed?: { readonly from: number; readonly to: number },
  ) {
    super(message)
    this.name = 'ApiError'
  }
}
