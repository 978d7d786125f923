import type { Request, Response } from 'express'
import { HttpError } from '../http/errors.ts'
import type { Allowance } from './rate-limits.ts'

/** Counts further requests for the client of an accepted request. */
type Charge = (cost: number) => Promise<Allowance>

const KEY = 'charge'

/** Enables `chargeMore` for the request. */
export const allowCharges = (response: Response, charge: Charge): void => {
  // Not in a weak map: young collections keep its values, and this one leads to the request.
  response.locals[KEY] = charge
}

/**
 * Counts `cost` further requests once the route (or the method in a JSON-RPC body) is known. Does nothing
 * when requests are not counted. Throws `HttpError` 429.
 */
export async function chargeMore(request: Request, cost: number): Promise<void> {
  if (cost <= 0) return
  const allowance = await (request.res!.locals[KEY] as Charge | undefined)?.(cost)
  if (allowance && !allowance.allowed)
    throw new HttpError(429, TOO_MANY_TEXT, { 'Retry-After': retryAfter(allowance) })
}

/** Clients match on "Ratelimit exceed". */
export const TOO_MANY_TEXT = 'Ratelimit exceeded'

/** For `Retry-After`: whole seconds until the allowance is renewed, at least 1. */
export const secondsLeft = ({ resetMs }: Allowance): number => Math.max(1, Math.ceil(resetMs / 1000))
const retryAfter = (allowance: Allowance): string => String(secondsLeft(allowance))
