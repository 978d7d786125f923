/** The server refused a request or could not answer it. */
export class ApiError extends Error {
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** What the server says. */
    message: string,
    /** Seconds after which it may be asked again, if it said so. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message)
    this.name = 'ApiError'
  }
}
