import type { IncomingMessage } from 'node:http'

/** What Node.js reads from a socket at a time; pieces of bodies are a little shorter. Bytes. */
const PIECE_BYTES = 65_536

/**
 * Has a body that is not iterated over, which waits for its consumer anyway, taken in pieces: of each
 * connection about one in an iteration of the event loop. Node.js would take up to 32 of them, 2 MB, before
 * it serves another connection.
 */
export function restBetweenPieces(request: IncomingMessage): void {
  request.on('data', (piece: Buffer) => {
    if (piece.length < PIECE_BYTES / 2) return
    request.pause()
    setImmediate(() => request.resume())
  })
}
