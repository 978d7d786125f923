import { V2Refusal } from '@shardwalk/api-schema'
import { withDeadline } from '@shardwalk/concurrency'
import type { Frame, Protocol, Transport } from '@shardwalk/streaming'
import { checkLimits, errorText, idOf, Refused, statusText } from '@shardwalk/streaming'
import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import { HttpError } from '../http/errors.ts'
import { readBytes } from '../http/read-body.ts'
import { encodedOnce } from './encoded-once.ts'
import type { Streams } from './streams.ts'

/** A body has to arrive in this time. Milliseconds. */
const BODY_TIMEOUT_MS = 5_000
const MAX_BODY_BYTES = 1024 * 1024
const MAX_TRACES = 1000

const WRONG_BODY = 'invalid subscription request'

export interface StreamRequest {
  readonly streams: Streams
  readonly protocol: Protocol
  readonly request: Request
  readonly response: Response
}

/** Answers a subscription with an endless stream of server-sent events. */
export async function answerStream({ streams, protocol, request, response }: StreamRequest): Promise<void> {
  let id: string | undefined
  try {
    const body = await readBody(request)
    id = idOf(body, WRONG_BODY)
    // Clients that reconnect repeat their first body.
    const asked = { ...body, resume_from: lastEventId(request) ?? body['resume_from'] }
    const actionsVersion = request.get('X-Actions-Version') || undefined
    const wanted = protocol.readSubscription(asked, { wire: 'sse', actionsVersion })
    // Nothing reports again that it is closed.
    if (response.destroyed) return
    const place = streams.places.take(request)
    if (typeof place === 'number')
      throw new Refused(`connection limit reached: ${place} active connections`, 429)
    response.once('close', place)
    const { addresses } = streams.places.planOf(request)
    checkLimits(wanted, { addresses, traces: MAX_TRACES }, 'sse')
    if (wanted.resumeFrom !== undefined) await streams.events.checkResume(wanted.resumeFrom)
    if (response.destroyed) return
    begin(response)
    const subscriber = streams.connect({
      protocol,
      transport: transportOf(response, streams.partingMs),
      keepAlive: (after) => keepAlive(response, protocol.resumes ? after : undefined),
      socket: request.socket,
    })
    response.on('drain', () => subscriber.outbox.flush())
    response.once('close', () => streams.disconnect(subscriber))
    // Before it has everything, it gets no position: see `LiveEvents.resume`.
    const after = protocol.resumes && wanted.resumeFrom === undefined ? streams.follower.complete : undefined
    subscriber.outbox.push({ kind: 'status', text: statusText('subscribed', id), after })
    if (wanted.resumeFrom !== undefined)
      streams.events.resume(subscriber, wanted.resumeFrom, clientName(request))
    streams.hub.subscribers.change(subscriber, wanted)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    refuse(response, error, id)
  }
}

type Body = Readonly<Record<string, unknown>>

async function readBody(request: Request): Promise<Body> {
  const wrong = (problem: string) => new Refused(`${WRONG_BODY}: ${problem}`)
  if (!request.is('application/json')) throw wrong('Content-Type must be application/json')
  const late = () => new HttpError(408, 'the body did not arrive in time', { Connection: 'close' })
  try {
    const bytes = await withDeadline(readBytes(request, MAX_BODY_BYTES), BODY_TIMEOUT_MS, late)
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Body
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong(error.message.slice(0, 200))
    throw error instanceof V2Refusal
      ? new HttpError(error.status, error.inner, { Connection: 'close' })
      : error
  }
  throw wrong('body must be a JSON object')
}

/** Where a client that reconnects was; undefined if it is new. */
function lastEventId(request: Request): number | undefined {
  const given = request.get('Last-Event-ID')
  return given !== undefined && /^\d{1,10}$/.test(given) ? Number(given) : undefined
}

function begin(response: Response): void {
  response.status(200)
  response.setHeader('Content-Type', 'text/event-stream')
  response.setHeader('Cache-Control', 'no-cache')
  response.setHeader('Connection', 'keep-alive')
  response.setHeader('X-Accel-Buffering', 'no')
  response.flushHeaders()
}

function refuse(response: Response, refused: Refused, id: string | undefined): void {
  const { status } = refused
  response.status(status)
  response.setHeader('Content-Type', 'application/json')
  response.setHeader('Cache-Control', 'no-store')
  if (status !== 400) response.setHeader('Retry-After', '1')
  response.end(errorText(refused, id))
}

function transportOf(response: Response, partingMs: number): Transport {
  let isFirst = true
  return {
    send(frame) {
      const name = frame.kind !== 'status' ? 'event' : isFirst ? 'connected' : 'error'
      isFirst = false
      return response.write(name === 'event' ? bytesOf(frame) : sseText(name, frame))
    },
    close() {
      if (response.destroyed) return
      response.end()
      // A client that does not read would keep its place for ever.
      const timer = setTimeout(() => response.destroy(), partingMs).unref()
      response.once('close', () => clearTimeout(timer))
    },
  }
}

/** The id says up to which block the client has everything, so that it can go on from there. */
const sseText = (name: string, { text, after }: Frame): string =>
  `event: ${name}\n${after === undefined ? '' : `id: ${after}\n`}data: ${text}\n\n`

const bytesOf = encodedOnce((frame) => sseText('event', frame))

function keepAlive(response: Response, after: number | undefined): void {
  // What is waiting will do, and shows in time whether the peer still reads: see `SilentPeers`.
  if (response.writableNeedDrain || response.writableEnded) return
  response.write(after === undefined ? ': keepalive\n\n' : `: keepalive\nid: ${after}\n\n`)
}
