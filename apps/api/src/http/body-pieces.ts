import type { IncomingMessage } from 'node:http'
import { setImmediate as rest } from 'node:timers'
import { setImmediate } from 'node:timers/promises'

/** What Node.js reads from a socket at a time. Bytes. */
const PIECE_BYTES = 65_536

/**
 * A request's body in pieces: of each connection about one in an iteration of the event loop. Whoever asks
 * for the next piece at once makes Node.js take up to 32 of them, 2 MB, before it serves another connection.
 */
export async function* bodyPieces(request: IncomingMessage): AsyncGenerator<Buffer> {
  let sinceRest = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    yield piece
    sinceRest += piece.length
    if (sinceRest < PIECE_BYTES / 2) continue
    sinceRest = 0
    await setImmediate()
  }
}

/** The same for a body that a library is about to read. */
export function restBetweenPieces(request: IncomingMessage): void {
  request.on('data', (piece: Buffer) => {
    if (piece.length < PIECE_BYTES / 2) return
    request.pause()
    rest(() => request.resume())
  })
}
