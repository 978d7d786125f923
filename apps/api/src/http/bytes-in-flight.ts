import { type ByteLimit, type ByteLimits, ByteRoom, ByteShare } from '@shardwalk/concurrency'
import type { Metrics } from '@shardwalk/observability'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { clientAddress, isLoopback } from '../access/client-address.ts'
import { HttpError } from './errors.ts'

const MEBIBYTE = 1_048_576

/** The default limits: a single client may take half. */
export const BYTE_LIMITS: ByteLimits = { bytes: 64 * MEBIBYTE, bytesPerClient: 32 * MEBIBYTE }

/** Longest wait for room: dozens of clients may ask for the largest pages at once. Milliseconds. */
const MAX_WAIT_MS = 20_000

/**
 * Accounts for the memory that requests in progress hold: bodies, pages while they are written, replies that
 * wait to be read. It is released when the reply ends or its client disconnects. Clients on the same machine
 * have no limit of their own. `maxWaitMs`: for tests.
 */
export function countBytes(limits: ByteLimits, metrics: Metrics, maxWaitMs = MAX_WAIT_MS): RequestHandler {
  const room = new ByteRoom(limits, { maxWaitMs, refusal: countedRefusal(metrics) })
  metrics.gauge('http_bytes_in_flight', 'Bytes held for requests and replies.', [], (gauge) =>
    gauge.set({}, room.held),
  )
  metrics.gauge('http_bytes_waiting', 'Requests that wait for room.', [], (gauge) =>
    gauge.set({}, room.waiting),
  )
  return (request: Request, response: Response, next: NextFunction): void => {
    const share = new ByteShare(room, isLoopback(request.ip) ? undefined : clientAddress(request.ip))
    response.locals['memory'] = share
    response.once('close', () => share.end())
    next()
  }
}

function countedRefusal(metrics: Metrics): (limit: ByteLimit) => HttpError {
  const refused = metrics.counter(
    'http_bytes_refused_total',
    'Requests over a limit of the bytes in flight.',
    ['limit'],
  )
  return (limit) => {
    refused.inc({ limit })
    return new HttpError(limit === 'client' ? 429 : 503, 'too many bytes in flight', { 'Retry-After': '1' })
  }
}

const memoryOf = (response: Response): ByteShare | undefined =>
  response.locals['memory'] as ByteShare | undefined

/**
 * Takes memory that is in use already for a request until its reply ends. Throws `HttpError` 503 or 429 with
 * `Retry-After`.
 */
export const holdBytes = (response: Response, bytes: number): void => memoryOf(response)?.hold(bytes)

/**
 * Takes memory for a request until its reply ends, and waits for it if there is too little. Throws
 * `HttpError` 503 or 429 with `Retry-After` after 20 s.
 */
export const takeBytes = async (response: Response, bytes: number): Promise<void> =>
  memoryOf(response)?.take(bytes)

/** A page holds a batch of rows with what belongs to them, and the pieces that were not read yet. */
const PAGE_BYTES = 4 * MEBIBYTE
const ROW_BYTES = 4096

/** Takes memory for a page of that many rows, as `takeBytes`. */
export const takePage = (response: Response, rows: number): Promise<void> =>
  takeBytes(response, Math.min(PAGE_BYTES, rows * ROW_BYTES))
