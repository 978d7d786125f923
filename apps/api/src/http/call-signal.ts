import type { Response } from 'express'

/**
 * Aborted when the client of a reply disconnects before its end, or `deadlineMs` from now, in milliseconds.
 */
export function callSignal(response: Response, deadlineMs?: number): AbortSignal {
  const controller = new AbortController()
  const abort = (reason: string) => controller.abort(new Error(reason))
  const deadline =
    deadlineMs === undefined ? undefined : setTimeout(abort, deadlineMs, 'the deadline has passed')
  const onClose = () => {
    clearTimeout(deadline)
    if (!response.writableFinished) abort('the client has left')
  }
  if (response.closed) onClose()
  else response.once('close', onClose)
  return controller.signal
}
