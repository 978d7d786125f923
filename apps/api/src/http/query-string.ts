import type { Request } from 'express'

/** The raw query string; the parser of Express is disabled. */
export const queryString = (request: Request): string => {
  const at = request.originalUrl.indexOf('?')
  return at < 0 ? '' : request.originalUrl.slice(at + 1)
}
