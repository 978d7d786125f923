import type { Socket } from 'node:net'

/** The most bytes that one iteration of the event loop has taken from the connection so far. */
export function mostAtOnce(socket: Socket): () => number {
  let seen = socket.bytesRead
  let most = 0
  const look = () => {
    most = Math.max(most, socket.bytesRead - seen)
    seen = socket.bytesRead
    if (!socket.destroyed) setImmediate(look)
  }
  look()
  return () => most
}
