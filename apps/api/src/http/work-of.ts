import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import type { ApiServices } from '../services.ts'
import type { RequestWork, Work, WorkOwner } from '../work/request-work.ts'
import { callSignal } from './call-signal.ts'

type Limits = Pick<ApiServices, 'requestDeadlineMs'>

const owners = new WeakMap<Response, WorkOwner>()

/** The client, and a signal for when the answer is no longer needed. One per reply. */
export function ownerOf(request: Request, response: Response, { requestDeadlineMs }: Limits): WorkOwner {
  const known = owners.get(response)
  if (known) return known
  const owner = { signal: callSignal(response, requestDeadlineMs), client: clientName(request) }
  owners.set(response, owner)
  return owner
}

/** Runs long work for a request. */
export const workOf =
  (work: RequestWork, owner: WorkOwner): Work =>
  (name, input) =>
    work.run(name, input, owner)
