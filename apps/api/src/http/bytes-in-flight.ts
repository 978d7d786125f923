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

interface Memory {
  /** Throws `HttpError` if there is no room. */
  readonly hold: (bytes: number) => void
  /** Waits for room. */
  readonly take: (bytes: number) => Promise<void>
}

/** Less is not counted, so that small requests are answered however much is in flight. Bytes. */
const FREE_BYTES = 65_536
/** Longest wait for room: dozens of clients may ask for the largest pages at once. Milliseconds. */
const MAX_WAIT_MS = 20_000

/**
 * Accounts for the memory that requests in progress hold: bodies, pages while they are written, replies that
 * wait to be read. It is released when the reply ends or its client disconnects. Clients on the same machine
 * have no limit of their own. `maxWaitMs`: for tests.
 */
export function countBytes(limits: ByteLimits, metrics: Metrics, maxWaitMs = MAX_WAIT_MS): RequestHandler {
  const room = new Room(limits)
  metrics.gauge('http_bytes_in_flight', 'Bytes held for requests and replies.', [], (gauge) =>
    gauge.set({}, room.held),
  )
  metrics.gauge('http_bytes_waiting', 'Requests that wait for room.', [], (gauge) =>
    gauge.set({}, room.waiting),
  )
  const refused = metrics.counter(
    'http_bytes_refused_total',
    'Requests over a limit of the bytes in flight.',
    ['limit'],
  )
  return (request: Request, response: Response, next: NextFunction): void => {
    const client = isLoopback(request.ip) ? undefined : clientAddress(request.ip)
    const refuse = (limit: Limit) => {
      refused.inc({ limit })
      return new HttpError(limit === 'client' ? 429 : 503, 'too many bytes in flight', { 'Retry-After': '1' })
    }
    let own = 0
    let isOver = false
    const add = (bytes: number) => {
      room.add(client, bytes)
      own += bytes
    }
    // A reply whose client has left is dropped.
    const isFree = (bytes: number) => bytes <= FREE_BYTES || isOver
    const memory: Memory = {
      hold: (bytes) => {
        if (isFree(bytes)) return
        const limit = room.lacking(client, bytes)
        if (limit) throw refuse(limit)
        add(bytes)
      },
      take: async (bytes) => {
        if (isFree(bytes)) return
        if (room.mayEnter(client, bytes)) return add(bytes)
        await new Promise<void>((resolve, reject) => {
          const settle = (settled: () => void) => {
            clearTimeout(deadline)
            response.off('close', leave)
            settled()
          }
          // What this request releases when it ends may be what it waits for.
          const enter = () => settle(() => (isOver ? reject(hasLeft()) : resolve(add(bytes))))
          const waiting = { client, bytes, enter }
          const giveUp = (error: Error) =>
            settle(() => {
              room.leave(waiting)
              reject(error)
            })
          const leave = () => giveUp(hasLeft())
          const deadline = setTimeout(() => giveUp(refuse(room.lacking(client, bytes) ?? 'all')), maxWaitMs)
          response.once('close', leave)
          room.wait(waiting)
        })
      },
    }
    response.locals['memory'] = memory
    response.once('close', () => {
      isOver = true
      const held = own
      own = 0
      room.add(client, -held)
    })
    next()
  }
}

const hasLeft = () => new Error('the client has left')

type Limit = 'all' | 'client'

interface Waiting {
  /** Undefined: without a limit of its own. */
  readonly client: string | undefined
  readonly bytes: number
  readonly enter: () => void
}

/** Bytes held in total and by client, and who waits for some. */
class Room {
  held = 0
  private readonly byClient = new Map<string, number>()
  private readonly queue = new Set<Waiting>()

  constructor(private readonly limits: ByteLimits) {}

  get waiting(): number {
    return this.queue.size
  }

  /** Negative: releases them. */
  add(client: string | undefined, bytes: number): void {
    this.held += bytes
    if (client !== undefined) {
      const left = (this.byClient.get(client) ?? 0) + bytes
      if (left > 0) this.byClient.set(client, left)
      else this.byClient.delete(client)
    }
    if (bytes < 0) this.admit()
  }

  /** The limit that does not allow so many more bytes. */
  lacking(client: string | undefined, bytes: number): Limit | undefined {
    if (client !== undefined && (this.byClient.get(client) ?? 0) + bytes > this.limits.bytesPerClient)
      return 'client'
    return this.held + bytes > this.limits.bytes ? 'all' : undefined
  }

  /** Whether there is room and nobody waits for it. */
  mayEnter(client: string | undefined, bytes: number): boolean {
    if (this.lacking(client, bytes)) return false
    for (const first of this.queue) if (this.lacking(first.client, first.bytes) === 'all') return false
    return true
  }

  wait(waiting: Waiting): void {
    this.queue.add(waiting)
  }

  leave(waiting: Waiting): void {
    this.queue.delete(waiting)
    this.admit()
  }

  /** In the order of arrival; only those whose client holds too much are passed by. */
  private admit(): void {
    for (const waiting of this.queue) {
      const limit = this.lacking(waiting.client, waiting.bytes)
      if (limit === 'all') return
      if (limit === 'client') continue
      this.queue.delete(waiting)
      waiting.enter()
    }
  }
}

const memoryOf = (response: Response): Memory | undefined => response.locals['memory'] as Memory | undefined

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
