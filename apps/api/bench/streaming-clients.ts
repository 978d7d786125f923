// The other side of streaming.bench.ts: opens as many streams as its argument says and counts what comes.
import { connect } from 'node:net'

interface Order {
  readonly port: number
  readonly streams: number
  /** A stream takes the next few of them. */
  readonly addresses: readonly string[]
  readonly each: number
  /** Streams that nobody reads after the first frame; they ask for everything after this block. */
  readonly stuckFrom?: number
}

let events = 0
let lastAt = 0

function open({ port, addresses, each, stuckFrom }: Order, index: number): Promise<void> {
  const own = Array.from({ length: each }, (_, i) => addresses[(index * each + i) % addresses.length]!)
  const resume = stuckFrom !== undefined && { resume_from: stuckFrom }
  const body = JSON.stringify({ types: ['transactions'], addresses: own, ...resume })
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        'POST /api/streaming/v2/sse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      ),
    )
    socket.once('error', reject)
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('event: connected')) {
        if (stuckFrom !== undefined) socket.pause()
        resolve()
      }
      if (stuckFrom !== undefined) return
      if (!chunk.includes('event: event')) return
      events++
      lastAt = Date.now()
    })
  })
}

process.on('message', async (order: Order | 'count') => {
  if (order === 'count') {
    process.send!({ events, lastAt })
    return
  }
  for (let at = 0; at < order.streams; at += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, order.streams - at) }, (_, i) => open(order, at + i)),
    )
  process.send!('open')
})
process.on('disconnect', () => process.exit())
