import type { Request } from 'express'
import { clientAddress } from './client-address.ts'

const names = new WeakMap<Request, string>()

/** Sets the name of the client of a request with a valid key. */
export const nameClient = (request: Request, name: string): void => {
  names.set(request, name)
}

/** Name of the client, for limits per client: the account of the key, otherwise the address. */
export const clientName = (request: Request): string =>
  names.get(request) ?? `ip:${clientAddress(request.ip)}`
