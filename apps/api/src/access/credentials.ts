import type { IncomingMessage } from 'node:http'

/** Longer than any key; the rest is ignored. */
const MAX_LENGTH = 256

/**
 * The key in a request: header `X-API-Key`, else `Authorization: Bearer`, else query parameter `api_key` or
 * `token`. Undefined if there is none or it is empty; clients configured without a key send an empty one.
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
