import type { Response } from 'express'

/** Ends the work for a reply at its deadline, and at once when its client leaves. */
export function callSignal(response: Response, deadlineMs: number): AbortSignal {
  const controller = new AbortController()
  const deadline = setTimeout(() => controller.abort(new Error('the deadline has passed')), deadlineMs)
  response.once('close', () => {
    clearTimeout(deadline)
    if (!response.writableFinished) controller.abort(new Error('the client has left'))
  })
  return controller.signal
}
