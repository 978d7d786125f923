import type { Request } from 'express'
import { clientAddress } from './client-address.ts'

const names = new WeakMap<Request, string>()

/** Sets the name of the client of a request that showed a key. */
export const nameClient = (request: Request, name: string): void => {
  names.set(request, name)
}

/** Who sent the request, for limits per client: the account of a key, else the address. */
export const clientName = (request: Request): string =>
  names.get(request) ?? `ip:${clientAddress(request.ip)}`
