/** Errors differ in their words between the transports. */
export type Wire = 'sse' | 'ws'

/** The client asked for something that is not possible; the message is for it. */
export class Refused extends Error {
  constructor(
    message: string,
    /** HTTP status, where there is one. */
    readonly status: 400 | 429 | 503 = 400,
    /** Masterchain blocks that a client may resume from, if it asked for another one. */
    readonly indexed?: BlockRange,
  ) {
    super(message)
    this.name = 'Refused'
  }
}

interface BlockRange {
  readonly from: number
  readonly to: number
}

/** The object that a client gets. */
export const errorText = (
  { message, indexed }: Pick<Refused, 'message' | 'indexed'>,
  id?: string | undefined,
): string => JSON.stringify({ error: message, id, indexed })

/** `after`: everything up to this masterchain block was sent before; undefined: not known. */
export const statusText = (status: string, id: string | undefined, after?: number): string =>
  JSON.stringify({
    status,
    ...(id !== undefined && { id }),
    ...(after !== undefined && { resume_from: after }),
  })
