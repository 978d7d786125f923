import type { Protocol } from '@shardwalk/streaming'
import type { Express, Response } from 'express'
import { HttpError } from '../http/errors.ts'
import { mountPath } from '../http/mount.ts'
import { sendJson } from '../http/reply-writer.ts'
import type { ApiServices } from '../services.ts'
import { streamHealth } from './health.ts'
import { answerStream } from './sse.ts'
import { type StreamingOptions, Streams } from './streams.ts'
import { upgradeOf } from './upgrades.ts'
import { WebSockets } from './websocket.ts'

/** TonAPI has the same protocol without `/api`. */
export const STREAM_BASES = ['/api/streaming', '/streaming'] as const

/** Mounts the streaming API. Its connections are not requests in progress: they have limits of their own. */
export function mountStreaming(app: Express, services: ApiServices, options: StreamingOptions): Streams {
  const streams = new Streams(services, options)
  const sockets = new WebSockets(streams)
  for (const base of STREAM_BASES) {
    mountPath(app, `${base}/healthz`, (_request, response) => {
      const health = streamHealth(streams)
      sendJson(response, JSON.stringify(health), health.ok ? 200 : 503)
    })
    for (const protocol of streams.protocols) mountProtocol({ app, streams, sockets, protocol, base })
  }
  return streams
}

interface Mounted {
  readonly app: Express
  readonly streams: Streams
  readonly sockets: WebSockets
  readonly protocol: Protocol
  readonly base: string
}

function mountProtocol({ app, streams, sockets, protocol, base }: Mounted): void {
  const [path, route] = [`${base}/${protocol.version}`, `${STREAM_BASES[0]}/${protocol.version}`]
  app
    .route(`${path}/sse`)
    .post(async (request, response) => {
      response.locals['route'] = `${route}/sse`
      refuseAtEnd(streams)
      await answerStream({ streams, protocol, request, response })
    })
    .all((_request, response) => notAllowed(response, 'POST'))
  app.all(`${path}/ws`, (request, response) => {
    response.locals['route'] = `${route}/ws`
    const upgrade = upgradeOf(request)
    if (!upgrade) return upgradeRequired(response)
    if (request.method !== 'GET') return notAllowed(response, 'GET')
    refuseAtEnd(streams)
    response.detachSocket(upgrade.socket)
    sockets.accept({ request, protocol, ...upgrade })
  })
}

function refuseAtEnd(streams: Streams): void {
  if (streams.events.isClosed)
    throw new HttpError(503, 'shutting down', { 'Retry-After': '1', Connection: 'close' })
}

function notAllowed(response: Response, method: string): void {
  response.setHeader('Allow', `${method}, OPTIONS`)
  response.status(405).type('text/plain').send('Method Not Allowed')
}

function upgradeRequired(response: Response): void {
  response.setHeader('Upgrade', 'websocket')
  response.status(426).type('text/plain').send('Upgrade Required')
}
