import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { breakOff } from './break-off.ts'

/** What else the parser refuses is a 400. Source: Node.js, lib/_http_server.js, `socketOnError`. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the extensions of chunks are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
}

/**
 * Answers what is no request in the form of all errors. A connection on which nothing was sent is not late:
 * clients open some in advance, and would take a 408 for the reply to what they begin to send just then. It
 * is closed after `silentMs` more.
 */
export function answerBrokenRequests(server: Server, silentMs: number): void {
  const replies = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => {
    replies.set(socket, response)
    // A connection outlives its requests: what they held would become old, and be collected in long pauses.
    response.once('close', () => {
      if (replies.get(socket) === response) replies.delete(socket)
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isSilent(socket)) return closeIfSilent(socket, silentMs)
    const reply = replies.get(socket)
    if (reply?.headersSent && !reply.writableFinished) return breakOff(reply)
    if (socket.writable && error.code !== 'ECONNRESET') socket.write(refusalOf(error))
    socket.destroy()
  })
}

const isSilent = (socket: Duplex): boolean => 'bytesRead' in socket && socket.bytesRead === 0

function closeIfSilent(socket: Duplex, silentMs: number): void {
  const timer = setTimeout(() => {
    if (isSilent(socket)) socket.destroy()
  }, silentMs)
  socket.once('close', () => clearTimeout(timer))
}

function refusalOf({ code = '' }: NodeJS.ErrnoException): string {
  const [status, message] = REFUSALS[code] ?? [400, 'the request cannot be read']
  // Which interface was meant is not known: clients of API v2 read `ok`.
  const body = JSON.stringify({ ok: false, error: message, code: status })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
