import type { Response } from 'express'

/** Aborted when the client of a reply disconnects before its end. */
export function leftSignal(response: Response): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has left'))
  })
  return controller.signal
}

/** Aborted at the deadline of a reply, or when its client disconnects. */
export function callSignal(response: Response, deadlineMs: number): AbortSignal {
  const controller = new AbortController()
  const deadline = setTimeout(() => controller.abort(new Error('the deadline has passed')), deadlineMs)
  response.once('close', () => {
    clearTimeout(deadline)
    if (!response.writableFinished) controller.abort(new Error('the client has left'))
  })
  return controller.signal
}
