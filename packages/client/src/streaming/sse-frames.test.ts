import { expect, test } from 'vitest'
import { sseFrames } from './sse-frames.ts'

const TEXT = [
  ': connected',
  'event: status\ndata: {"status":"subscribed"}',
  'event: event\nid: 301\ndata: {"type":"actions","text":"Кофе ☕"}',
  'data: bare',
]
const BYTES = Buffer.from(TEXT.map((frame) => `${frame}\n\n`).join(''))
const FRAMES = [
  { event: 'message', id: undefined, data: '' },
  { event: 'status', id: undefined, data: '{"status":"subscribed"}' },
  { event: 'event', id: '301', data: '{"type":"actions","text":"Кофе ☕"}' },
  { event: 'message', id: undefined, data: 'bare' },
]

async function framesOf(pieces: Iterable<Uint8Array>) {
  const found = []
  for await (const frame of sseFrames(
    (async function* () {
      yield* pieces
    })(),
  ))
    found.push(frame)
  return found
}

test('frames are the same wherever the bytes are cut, within a character too', async () => {
  for (let at = 0; at <= BYTES.length; at++)
    expect(await framesOf([BYTES.subarray(0, at), BYTES.subarray(at)]), `cut at ${at}`).toEqual(FRAMES)
  expect(await framesOf(Array.from(BYTES, (byte) => Uint8Array.of(byte)))).toEqual(FRAMES)
})

test('a frame that did not end is none', async () => {
  expect(await framesOf([BYTES.subarray(0, -1)])).toEqual(FRAMES.slice(0, -1))
})
