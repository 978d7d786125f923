import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that a connection may send before the first of them is answered. */
const MAX_PIPELINED = 32
/** Pieces of a body that may be shorter than `MIN_PIECE_BYTES` on average. */
const MAX_SHORT_PIECES = 500
const MIN_PIECE_BYTES = 16

/**
 * Closes connections that send requests, or the chunks of a body, in such number that taking them apart would
 * keep other connections waiting. Of either, a thousand and more fit into what is read from a socket at once,
 * and Node.js handles them all before it serves another connection. A chunk of one byte takes a hundred.
 */
export function limitPieces(
  serve: RequestListener,
  onCut: (reason: 'pipelining' | 'short chunks') => void,
): RequestListener {
  const open = new WeakMap<Socket, number>()
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    // The rest of what was read before the connection was closed.
    if (socket.destroyed) return
    const cut = (reason: Parameters<typeof onCut>[0]) => {
      if (!socket.destroyed) onCut(reason)
      socket.destroy()
    }
    const count = (open.get(socket) ?? 0) + 1
    if (count > MAX_PIPELINED) return cut('pipelining')
    open.set(socket, count)
    response.once('close', () => open.set(socket, open.get(socket)! - 1))
    countPieces(request, () => cut('short chunks'))
    serve(request, response)
  }
}

/** Counts where Node.js hands the pieces over: a listener would start to read bodies that are not wanted. */
function countPieces(request: IncomingMessage, onTooShort: () => void): void {
  let pieces = 0
  let bytes = 0
  const push = request.push
  const counted: typeof push = (piece: Buffer | null, encoding) => {
    pieces++
    bytes += piece?.length ?? 0
    if (pieces <= MAX_SHORT_PIECES || bytes >= pieces * MIN_PIECE_BYTES)
      return push.call(request, piece, encoding)
    onTooShort()
    return false
  }
  request.push = counted
}
