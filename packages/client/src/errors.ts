/** The server refused a request or could not answer it. */
export class ApiError extends Error {
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** What the server says. */
    message: string,
    /** Seconds after which the request may be repeated, if the server named them. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message)
    this.name = 'ApiError'
  }
}
