import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import type { ApiServices } from '../services.ts'
import type { RequestWork, Work, WorkOwner } from '../work/request-work.ts'
import { callSignal } from './call-signal.ts'

type Limits = Pick<ApiServices, 'requestDeadlineMs'>

const KEY = 'owner'

/** The client, and a signal for when the answer is no longer needed. One per reply. */
export function ownerOf(request: Request, response: Response, { requestDeadlineMs }: Limits): WorkOwner {
  response.locals[KEY] ??= new Owner(response, requestDeadlineMs, clientName(request))
  return response.locals[KEY] as WorkOwner
}

/** Few replies need the signal, and making one is not cheap. */
class Owner implements WorkOwner {
  private made: AbortSignal | undefined
  private readonly deadline: number | undefined

  constructor(
    private readonly response: Response,
    deadlineMs: number | undefined,
    readonly client: string,
  ) {
    this.deadline = deadlineMs === undefined ? undefined : performance.now() + deadlineMs
  }

  get signal(): AbortSignal {
    const leftMs = this.deadline === undefined ? undefined : Math.max(0, this.deadline - performance.now())
    this.made ??= callSignal(this.response, leftMs)
    return this.made
  }
}

/** Runs long work for a request. */
export const workOf =
  (work: RequestWork, owner: WorkOwner): Work =>
  (name, input) =>
    work.run(name, input, owner)
