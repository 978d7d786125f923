import type { NextFunction, Request, Response } from 'express'
import { HttpError } from './errors.ts'

/** Common servers and proxies accept as much. Characters. */
const MAX_HEADER = 8192
/** Several lists of 1000 values. */
const MAX_QUERY_PARTS = 10_000

const AMPERSAND = 38
const COMMA = 44
const PERCENT = 37

/**
 * Refuses requests whose headers or query consist of so many parts that taking them apart would keep other
 * requests waiting: Node.js limits only the length of all together, and a query may have a megabyte.
 */
export function limitRequest(request: Request, _response: Response, next: NextFunction): void {
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && lengthOf(value) > MAX_HEADER)
      throw new HttpError(431, `header "${name.slice(0, 100)}" is longer than ${MAX_HEADER} characters`)
  if (queryParts(request.url) > MAX_QUERY_PARTS)
    throw new HttpError(422, `the query has more than ${MAX_QUERY_PARTS} values`)
  next()
}

const lengthOf = (value: string | readonly string[]): number =>
  typeof value === 'string' ? value.length : value.reduce((sum, one) => sum + one.length, 0)

/** An upper limit of the number of parameters and values. */
function queryParts(url: string): number {
  if (url.length <= MAX_QUERY_PARTS) return 0
  let count = 1
  for (let at = 0; at < url.length; at++) {
    const code = url.charCodeAt(at)
    if (code === AMPERSAND || code === COMMA || (code === PERCENT && isComma(url, at))) count++
  }
  return count
}

const isComma = (url: string, at: number): boolean =>
  url[at + 1] === '2' && (url.charCodeAt(at + 2) | 32) === 99
