import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, StreamClient, type StreamEvent } from '../index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const WANTED = { types: ['transactions'] as const, addresses: ['0:00'], resumeFrom: 300 }
const frame = (id: number) => `event: event\nid: ${id}\ndata: {"type":"transactions","resume_from":${id}}\n\n`

/** A server whose connections send these texts and break, one after the other; the last one stays open. */
function server(...connections: readonly (string | Response)[]) {
  const asked: { readonly resume_from?: number }[] = []
  const open = async (_url: string, init: RequestInit) => {
    asked.push(JSON.parse(String(init.body)))
    const given = connections[asked.length - 1] ?? ''
    if (given instanceof Response) return given
    const isLast = asked.length >= connections.length
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from(given))
          if (!isLast) return setImmediate(() => controller.close())
          init.signal!.addEventListener('abort', () => controller.error(init.signal!.reason))
        },
      }),
    )
  }
  return { client: new StreamClient({ url: 'http://server', fetch: open as typeof fetch }), asked }
}

/** Takes events until there are `count`, however long the client waits in between. */
async function take(events: AsyncGenerator<StreamEvent>, count: number): Promise<readonly unknown[]> {
  const found: unknown[] = []
  while (found.length < count) {
    const next = events.next()
    let isThere = false
    const settle = () => {
      isThere = true
    }
    next.then(settle, settle)
    while (!isThere) await vi.advanceTimersByTimeAsync(100)
    const { value } = await next
    found.push(value.resume_from)
  }
  return found
}

test('a connection that breaks is continued behind the last event that was taken', async () => {
  const { client, asked } = server(`: connected\n\n${frame(301)}${frame(302)}`, '', frame(303))
  const lost: number[] = []
  const events = client.events(WANTED, { onLost: (_, retryInMs) => lost.push(retryInMs) })
  expect(await take(events, 3)).toEqual([301, 302, 303])
  expect(asked.map(({ resume_from }) => resume_from)).toEqual([300, 302, 302])
  // Events came over the first connection, so that it counts as no failure.
  expect(lost).toEqual([500, 1_000])
  await events.return(undefined)
})

test('a server that is silent, not even saying that it lives, is left', async () => {
  const { client, asked } = server(`${frame(301)}event: ev`, frame(302))
  const events = client.events(WANTED)
  expect(await take(events, 2)).toEqual([301, 302])
  expect(asked).toHaveLength(2)
  await events.return(undefined)
})

test('a refused subscription is not tried again, one that a busy server refused is', async () => {
  const refusal = (status: number) => new Response('{"error":"no such type"}', { status })
  const refused = server(refusal(422))
  await expect(refused.client.events(WANTED).next()).rejects.toEqual(
    new ApiError(422, 'no such type', undefined),
  )
  const busy = server(refusal(503), frame(301))
  const events = busy.client.events(WANTED)
  expect(await take(events, 1)).toEqual([301])
  expect(busy.asked).toHaveLength(2)
  await events.return(undefined)
})

test('a server that asks for time gets it, and one that asks for too much ends the stream', async () => {
  const busy = (seconds: string) => new Response('{}', { status: 429, headers: { 'Retry-After': seconds } })
  const { client } = server(busy('0'), busy('20'), busy('120'), frame(301), busy('3600'))
  const waits: number[] = []
  const events = client.events(WANTED, { onLost: (_, retryInMs) => waits.push(retryInMs) })
  expect(await take(events, 1)).toEqual([301])
  expect(waits).toEqual([500, 20_000, 120_000])
  await expect(take(events, 1)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3600 })
})

test('a server that is far behind the stream is followed from where it is', async () => {
  const refusal = (asked: number, from: number, to: number) =>
    JSON.stringify({ error: `resume_from ${asked} is not indexed`, indexed: { from, to } })
  const { client, asked } = server(
    new Response(refusal(300, 1, 20), { status: 400 }),
    frame(21),
    `event: error\ndata: ${refusal(21, 1, 2)}\n\n`,
    frame(3),
    new Response(refusal(3, 50, 60), { status: 400 }),
  )
  const reasons: unknown[] = []
  const events = client.events(WANTED, { onLost: (error) => reasons.push((error as Error).message) })
  expect(await take(events, 2)).toEqual([21, 3])
  expect(asked.map(({ resume_from }) => resume_from)).toEqual([300, undefined, 21, undefined])
  expect(reasons[0]).toBe('resume_from 300 is not indexed')
  // What happened before block 50 is lost, which the caller has to know.
  await expect(take(events, 1)).rejects.toMatchObject({ status: 400, indexed: { from: 50, to: 60 } })
})

test('a stream whose signal is aborted while it handles a loss ends at once', async () => {
  const { client } = server(new Response('{}', { status: 503 }), frame(301))
  const stop = new AbortController()
  const events = client.events(WANTED, {
    signal: stop.signal,
    onLost: () => stop.abort(new Error('enough')),
  })
  await expect(events.next()).rejects.toThrow('enough')
})

/** Safari has them so. */
test('streams of bytes need not be iterable', async () => {
  const response = new Response(frame(301))
  Object.defineProperty(response.body, Symbol.asyncIterator, { value: undefined })
  const { client } = server(response)
  const events = client.events(WANTED)
  expect(await take(events, 1)).toEqual([301])
  await events.return(undefined)
})

test('what the server says of a subscription that it accepted and then refuses ends the stream', async () => {
  const { client, asked } = server('event: error\ndata: {"error":"too many addresses"}\n\n', frame(301))
  await expect(client.events(WANTED).next()).rejects.toEqual(
    new ApiError(400, 'too many addresses', undefined),
  )
  expect(asked).toHaveLength(1)
})
