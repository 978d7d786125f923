import type { IncomingMessage } from 'node:http'

/** Longer ones are no keys of anybody. */
const MAX_LENGTH = 256

/**
 * The key that a request brings: header `X-API-Key`, else `Authorization: Bearer`, else the query's `api_key` or `token`. Undefined: none; an empty
 * one counts as none, because clients send it when they are configured without.
 */
export function credentialOf(request: Pick<IncomingMessage, 'headers' | 'url'>): string | undefined {
  const header = [request.headers['x-api-key']].flat()[0]?.trim()
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
  const given = header || bearer || fromQuery(request.url ?? '')
  return given ? given.slice(0, MAX_LENGTH) : undefined
}

function fromQuery(url: string): string | undefined {
  const at = url.indexOf('?')
  if (at < 0) return undefined
  const query = new URLSearchParams(url.slice(at + 1))
  return (query.get('api_key') || query.get('token'))?.trim()
}
