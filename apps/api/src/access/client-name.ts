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

const withoutKey = new WeakSet<Request>()

/** For a request without a key to a service that has keys. */
export const noteMissingKey = (request: Request): void => {
  withoutKey.add(request)
}

/** Whether the service has keys and the request has none. */
export const lacksKey = (request: Request): boolean => withoutKey.has(request)
