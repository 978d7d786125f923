import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import type { RequestWork, Work, WorkOwner } from '../work/request-work.ts'
import { callSignal } from './call-signal.ts'

/** Same as the limit of TON Center. */
const DEADLINE_MS = 10_000

const owners = new WeakMap<Response, WorkOwner>()

/** The client, and a signal for when the answer is no longer needed. One per reply. */
export function ownerOf(request: Request, response: Response): WorkOwner {
  const known = owners.get(response)
  if (known) return known
  const owner = { signal: callSignal(response, DEADLINE_MS), client: clientName(request) }
  owners.set(response, owner)
  return owner
}

/** Runs long work for a request. */
export const workOf =
  (work: RequestWork, owner: WorkOwner): Work =>
  (name, input) =>
    work.run(name, input, owner)
