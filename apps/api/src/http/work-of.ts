import type { CallScope } from '@shardwalk/node-access'
import type { RequestWork, Work, WorkOwner } from '@shardwalk/node-access/requests'
import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import type { ApiServices } from '../services.ts'
import { callSignal } from './call-signal.ts'

type Limits = Pick<ApiServices, 'requestDeadlineMs'>

const KEY = 'owner'

/** The client, and a signal for when the answer is no longer needed. One per reply. */
export function ownerOf(request: Request, response: Response, { requestDeadlineMs }: Limits): WorkOwner {
  response.locals[KEY] ??= newOwner(request, response, requestDeadlineMs)
  return response.locals[KEY] as WorkOwner
}

/** Few replies need the signal, and making one is not cheap. */
function newOwner(request: Request, response: Response, deadlineMs: number | undefined): WorkOwner {
  const deadline = deadlineMs === undefined ? undefined : performance.now() + deadlineMs
  let signal: AbortSignal | undefined
  return {
    client: clientName(request),
    signal: () => {
      const leftMs = deadline === undefined ? undefined : Math.max(0, deadline - performance.now())
      signal ??= callSignal(response, leftMs)
      return signal
    },
  }
}

/** The owner as the scope of what is asked from the network. */
export const scopeOf = ({ client, signal }: WorkOwner): CallScope => ({ client, signal: signal() })

/** Runs long work for a request. */
export const workOf =
  (work: RequestWork, owner: WorkOwner): Work =>
  (name, input) =>
    work.run(name, input, owner)
