import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import type { RequestWork, Work, WorkOwner } from '../work/request-work.ts'
import { callSignal } from './call-signal.ts'

/** As long as TON Center lets a request take. */
const DEADLINE_MS = 10_000

/** Who asks, and until when an answer is of use. */
export const ownerOf = (request: Request, response: Response): WorkOwner => ({
  signal: callSignal(response, DEADLINE_MS),
  client: clientName(request),
})

/** What a request lets do elsewhere because it takes long. */
export const workOf =
  (work: RequestWork, owner: WorkOwner): Work =>
  (name, input) =>
    work.run(name, input, owner)
