import type { Metrics } from '@shardwalk/observability'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { clientAddress, isLoopback } from '../access/client-address.ts'
import { HttpError } from './errors.ts'

const MEBIBYTE = 1_048_576

export interface ByteLimits {
  /** Bytes held for requests and replies, in total and per client address. */
  readonly bytes: number
  readonly bytesPerClient: number
}

export const BYTE_LIMITS: ByteLimits = { bytes: 64 * MEBIBYTE, bytesPerClient: 32 * MEBIBYTE }

type Hold = (bytes: number) => void

/** Less is not counted, so that small requests are answered however much is in flight. Bytes. */
const FREE_BYTES = 65_536

/**
 * Accounts for the memory that requests in progress hold: bodies, pages while they are written, replies that
 * wait to be read. It is released when the reply ends or its client disconnects. Clients on the same machine
 * have no limit of their own.
 */
export function countBytes({ bytes: most, bytesPerClient }: ByteLimits, metrics: Metrics): RequestHandler {
  const held = new Map<string, number>()
  let all = 0
  metrics.gauge('http_bytes_in_flight', 'Bytes held for requests and replies.', [], (gauge) =>
    gauge.set({}, all),
  )
  const refused = metrics.counter(
    'http_bytes_refused_total',
    'Requests over a limit of the bytes in flight.',
    ['limit'],
  )
  return (request: Request, response: Response, next: NextFunction): void => {
    const client = clientAddress(request.ip)
    const isLimited = !isLoopback(request.ip)
    let own = 0
    const add = (bytes: number) => {
      own += bytes
      all += bytes
      const left = (held.get(client) ?? 0) + bytes
      if (left > 0) held.set(client, left)
      else held.delete(client)
    }
    const hold: Hold = (bytes) => {
      // A reply whose client has left is dropped.
      if (bytes <= FREE_BYTES || response.closed) return
      const isOverOwn = isLimited && (held.get(client) ?? 0) + bytes > bytesPerClient
      if (!isOverOwn && all + bytes <= most) return add(bytes)
      refused.inc({ limit: isOverOwn ? 'client' : 'all' })
      throw new HttpError(isOverOwn ? 429 : 503, 'too many bytes in flight', { 'Retry-After': '1' })
    }
    response.locals['hold'] = hold
    response.once('close', () => add(-own))
    next()
  }
}

/** Takes memory for a request until its reply ends. Throws `HttpError` 503 or 429 with `Retry-After`. */
export const holdBytes = (response: Response, bytes: number): void =>
  (response.locals['hold'] as Hold | undefined)?.(bytes)

/** A page holds a batch of rows with what belongs to them, and the pieces that were not read yet. */
const PAGE_BYTES = 4 * MEBIBYTE
const ROW_BYTES = 4096

/** Takes memory for a page of that many rows. Throws `HttpError`. */
export const holdPage = (response: Response, rows: number): void =>
  holdBytes(response, Math.min(PAGE_BYTES, rows * ROW_BYTES))
