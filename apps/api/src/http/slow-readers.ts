import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** When a client reads too slowly to keep its connection. */
export interface ReaderLimits {
  /** A connection that accepts nothing of a pending reply for this long is closed. Milliseconds. */
  readonly stalledMs: number
  /** Minimum number of bytes per second that a connection must accept, averaged over `windowMs`. */
  readonly minBytesPerSecond: number
  readonly windowMs: number
}

/** The default limits: half a megabyte in half a minute. */
export const READER_LIMITS: ReaderLimits = {
  stalledMs: 10_000,
  minBytesPerSecond: 16_384,
  windowMs: 30_000,
}

interface Reader {
  /** When bytes were last accepted, and their total at that time. */
  progressAt: number
  taken: number
  /** Since when data has been pending without a pause, and the total accepted by then. */
  windowFrom: number
  takenBefore: number
}

/** Has connections closed, by `cut`, whose clients do not read pending replies. */
export function cutSlowReaders(server: Server, limits: ReaderLimits, cut: (socket: Socket) => void): void {
  const readers = new Map<Socket, Reader>()
  server.on('connection', (socket: Socket) => {
    const now = performance.now()
    readers.set(socket, { progressAt: now, taken: 0, windowFrom: now, takenBefore: 0 })
    socket.once('close', () => readers.delete(socket))
  })
  const look = () => {
    const now = performance.now()
    for (const [socket, reader] of readers) if (isTooSlow(socket, reader, limits, now)) cut(socket)
  }
  const timer = setInterval(look, Math.min(1000, limits.stalledMs / 4)).unref()
  server.once('close', () => clearInterval(timer))
}

function isTooSlow(socket: Socket, reader: Reader, limits: ReaderLimits, now: number): boolean {
  const taken = socket.bytesWritten - socket.writableLength
  if (socket.writableLength === 0) {
    Object.assign(reader, { progressAt: now, windowFrom: now, taken, takenBefore: taken })
    return false
  }
  if (taken > reader.taken) Object.assign(reader, { progressAt: now, taken })
  if (now - reader.progressAt >= limits.stalledMs) return true
  if (now - reader.windowFrom < limits.windowMs) return false
  const rate = ((taken - reader.takenBefore) * 1000) / (now - reader.windowFrom)
  Object.assign(reader, { windowFrom: now, takenBefore: taken })
  return rate < limits.minBytesPerSecond
}
