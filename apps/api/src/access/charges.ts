import type { Request } from 'express'
import { HttpError } from '../http/errors.ts'
import type { Allowance } from './rate-limits.ts'

/** Counts that many more requests for the client of a request that was let in already. */
type Charge = (cost: number) => Promise<Allowance>

const charges = new WeakMap<Request, Charge>()

/** Lets whoever reads the request later charge its client for what it turns out to be. */
export const allowCharges = (request: Request, charge: Charge): void => {
  charges.set(request, charge)
}

/** Charges the client `cost` requests on top of the one that was counted; nothing where nobody is counted. Throws `HttpError` 429. */
export async function chargeMore(request: Request, cost: number): Promise<void> {
  if (cost <= 0) return
  const allowance = await charges.get(request)?.(cost)
  if (allowance && !allowance.allowed)
    throw new HttpError(429, TOO_MANY_TEXT, { 'Retry-After': retryAfter(allowance) })
}

/** Clients search for "Ratelimit exceed". */
export const TOO_MANY_TEXT = 'Ratelimit exceeded'

export const secondsLeft = ({ resetMs }: Allowance): number => Math.max(1, Math.ceil(resetMs / 1000))
const retryAfter = (allowance: Allowance): string => String(secondsLeft(allowance))
