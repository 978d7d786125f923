import type { Request, Response } from 'express'

// A reverse proxy may publish this service below a path, `/ton/`, which it removes from requests. What can be
// relative to the address of the request therefore is; the rest needs to be known (`prefixOf`).

/** Folders of an address; no page is deeper. More would make every link of a long address long. */
const MAX_DEPTH = 16

/** The root of this service relative to the address of the request: `./`, `../../`. */
export function rootOf({ originalUrl }: Pick<Request, 'originalUrl'>): string {
  // As it was sent: to a browser, two slashes have a folder without a name between them.
  const path = /^(?:[a-z]+:\/\/[^/?]*)?([^?]*)/i.exec(originalUrl)![1]!
  const depth = Math.min(path.split('/').length - 2, MAX_DEPTH)
  return depth > 0 ? '../'.repeat(depth) : './'
}

/** Sends the client to a path of this service, as `/blocks`. */
export function redirectTo(request: Request, response: Response, path: string, status = 302): void {
  response.redirect(status, rootOf(request) + path.slice(1))
}

const PREFIX = /^(\/[\w.~-]+)+$/
const MAX_PREFIX = 200

/** The path below which a trusted proxy says that it publishes this service: `/ton`; otherwise empty. */
export function prefixOf(request: Request): string {
  const given = request.get('X-Forwarded-Prefix')?.replace(/\/$/, '') ?? ''
  const isTrusted = request.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean
  if (given.length > MAX_PREFIX || !PREFIX.test(given)) return ''
  return isTrusted(request.socket.remoteAddress, 0) ? given : ''
}

/** Host and port as the client names this server. */
export const hostOf = ({ headers: { host = '' } }: Request): string =>
  /^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost'

/** Where clients reach this server, without a slash at the end: `https://example.org/ton`. */
export const baseOf = (request: Request): string =>
  `${request.protocol}://${hostOf(request)}${prefixOf(request)}`
