/** Errors differ in their words between the transports. */
export type Wire = 'sse' | 'ws'

/** The client asked for something that is not possible; the message is for it. */
export class Refused extends Error {
  constructor(
    message: string,
    /** HTTP status, where there is one. */
    readonly status: 400 | 429 | 503 = 400,
  ) {
    super(message)
    this.name = 'Refused'
  }
}

/** The object that a client gets. */
export const errorText = (error: string, id: string | undefined): string =>
  JSON.stringify({ error, ...(id !== undefined && { id }) })

/** `after`: everything up to this masterchain block was sent before; undefined: not known. */
export const statusText = (status: string, id: string | undefined, after?: number): string =>
  JSON.stringify({
    status,
    ...(id !== undefined && { id }),
    ...(after !== undefined && { resume_from: after }),
  })
