import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** What Node.js reads from a socket at a time: a shorter piece is the last one for now. Bytes. */
const FULL_PIECE = 65_536

/**
 * Has rows taken apart in pieces, one for each iteration of the event loop. Node.js would take up to 32 from
 * a connection at once, which with what the driver makes of them is 50 ms of work.
 */
export function paceResults(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection
    stream.on('data', (piece: Buffer) => {
      if (piece.length < FULL_PIECE) return
      stream.pause()
      setImmediate(() => stream.resume())
    })
  })
}
