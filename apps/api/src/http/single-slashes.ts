import type { RequestHandler } from 'express'

/** Reads `/api/v3//blocks` as `/api/v3/blocks`: clients join a path to a base URL that ends with a slash. */
export const singleSlashes: RequestHandler = (request, _response, next) => {
  const [path = ''] = request.url.split('?', 1)
  // Otherwise the target is a whole URL.
  if (path.startsWith('/') && path.includes('//'))
    request.url = path.replaceAll(/\/{2,}/g, '/') + request.url.slice(path.length)
  next()
}
