import type { Duplex } from 'node:stream'
import { CLOSE, errorText, type Protocol, Session, type Transport } from '@shardwalk/streaming'
import type { Request } from 'express'
import { type WebSocket, WebSocketServer } from 'ws'
import { clientName } from '../access/client-name.ts'
import { encodedOnce } from './encoded-once.ts'
import type { Streams } from './streams.ts'

/** A frame with a thousand addresses has 70 KB. */
const MAX_FRAME_BYTES = 1024 * 1024
const MAX_TRACES = 1000
/** Fragments of one frame, and pieces in which a frame arrives: each takes more memory than its bytes. */
const MAX_FRAGMENTS = 1024
const MAX_PIECES = 16_384
/** Frames that a connection may send within `FRAMES_MS`, pings included. */
const MAX_FRAMES = 1000
const FRAMES_MS = 10_000
/** Time to read why a connection is closed. Milliseconds. */
const GOODBYE_MS = 1000
/** Bytes that may wait in a socket before its outbox keeps the rest. */
const HIGH_WATER = 64 * 1024
/** Keep-alives without an answer after which a peer counts as gone. */
const MAX_SILENT = 2

export interface WebSocketRequest {
  readonly request: Request
  readonly protocol: Protocol
  readonly socket: Duplex
  readonly head: Buffer
}

/** Accepts WebSockets and speaks the protocols of the streaming API on them. */
export class WebSockets {
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_PIECES,
    // Each iteration of the event loop takes one frame: thousands fit into what is read at once.
    allowSynchronousEvents: false,
    clientTracking: false,
  })

  constructor(private readonly streams: Streams) {}

  /** Completes the upgrade of an accepted request, even if there is no place: browsers see no HTTP status. */
  accept({ request, protocol, socket, head }: WebSocketRequest): void {
    // Its socket will not report again that it is closed.
    if (socket.destroyed) return
    const place = this.streams.places.take(request)
    this.server.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => client.terminate())
      if (typeof place === 'number') {
        client.send(errorText({ message: `connection limit reached: ${place} active connections` }))
        client.close(CLOSE.policy, 'connection limit reached')
        return
      }
      client.once('close', place)
      this.serve(request, protocol, client)
    })
    // The upgrade fails if the request is not one, or its client has left.
    if (typeof place !== 'number') socket.once('close', place)
  }

  private serve(request: Request, protocol: Protocol, client: WebSocket): void {
    const { streams } = this
    let silent = 0
    const subscriber = streams.connect({
      protocol,
      transport: transportOf(client, () => subscriber.outbox.flush()),
      keepAlive: () => {
        if (++silent > MAX_SILENT) client.terminate()
        else client.ping()
      },
    })
    const session = new Session(subscriber, {
      subscribers: streams.hub.subscribers,
      limits: { addresses: streams.places.planOf(request).addresses, traces: MAX_TRACES },
      actionsVersion: request.get('X-Actions-Version') || undefined,
      now: () => performance.now(),
      position: () => streams.follower.complete,
      resume: (from) => streams.events.resume(subscriber, from, clientName(request)),
      checkResume: async (from) => {
        // What the client sends meanwhile stays with it.
        client.pause()
        await streams.events.checkResume(from).finally(() => isRefused || client.resume())
      },
    })
    let isRefused = false
    const isTooOften = frameCounter()
    const onFrame = (data?: Buffer) => {
      silent = 0
      if (isTooOften()) {
        isRefused = true
        refuseFrames(client)
      } else if (data) session.receive(data.toString('utf8'))
    }
    client.on('pong', () => onFrame())
    client.on('ping', () => onFrame())
    client.on('message', onFrame)
    client.once('close', () => streams.disconnect(subscriber))
  }
}

/** Counts a frame; returns whether it is one too many. */
function frameCounter(): () => boolean {
  let from = 0
  let frames = 0
  return () => {
    const now = performance.now()
    if (now - from >= FRAMES_MS) {
      from = now
      frames = 0
    }
    return ++frames > MAX_FRAMES
  }
}

function refuseFrames(client: WebSocket): void {
  if (client.readyState !== client.OPEN) return
  client.close(CLOSE.policy, 'too many frames')
  client.pause()
  setTimeout(() => client.terminate(), GOODBYE_MS).unref()
}

const bytesOf = encodedOnce(({ text }) => text)

function transportOf(client: WebSocket, onRoom: () => void): Transport {
  return {
    send(frame) {
      if (client.readyState !== client.OPEN) return true
      client.send(bytesOf(frame), { binary: false }, () => {
        if (client.bufferedAmount < HIGH_WATER) onRoom()
      })
      return client.bufferedAmount < HIGH_WATER
    },
    close: (code, reason) => client.close(code, reason),
  }
}
