import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HostLimits, MetadataFetcher } from '../src/index.ts'

/**
 * Tokens of one host, each of which takes `tookMs`; those that are refused come back when the refusal says.
 * Returns how often they asked, and when the last one was done.
 */
async function serveAll(tokens: number, tookMs: number): Promise<{ asked: number; endedAt: number }> {
  let now = 0
  let asked = 0
  let endedAt = 0
  const limits = new HostLimits({ now: () => now })
  const later: { readonly at: number; readonly run: () => void }[] = []
  const at = (time: number, run: () => void) => void later.push({ at: time, run })
  const enter = async () => {
    asked++
    const slot = await limits.enter('host')
    if ('retryAfterMs' in slot) return at(now + slot.retryAfterMs, () => void enter())
    at(now + tookMs, () => {
      slot.release('ok')
      endedAt = now
    })
  }
  for (let i = 0; i < tokens; i++) at(0, () => void enter())
  while (later.length > 0) {
    later.sort((a, b) => b.at - a.at)
    const next = later.pop()!
    now = Math.max(now, next.at)
    next.run()
    for (let i = 0; i < 5; i++) await Promise.resolve()
  }
  return { asked, endedAt }
}

test('tokens of a host that has many come back when it has room, not again and again', async () => {
  const sizes = [fc.integer({ min: 1, max: 300 }), fc.integer({ min: 20, max: 9_000 })] as const
  await fc.assert(
    fc.asyncProperty(...sizes, async (tokens, tookMs) => {
      const { asked, endedAt } = await serveAll(tokens, tookMs)
      expect(asked).toBeLessThanOrEqual(6 * tokens)
      // The host is used nearly all of the time.
      expect(endedAt).toBeLessThanOrEqual(1.5 * (tokens / 4) * tookMs + 60_000)
    }),
    { numRuns: 10, examples: [[300, 9_000]] },
  )
})

test('a token that somebody waits for comes back before those that were refused earlier', async () => {
  const limits = new HostLimits({ concurrency: 1, waiting: 0, now: () => 0 })
  await limits.enter('a')
  for (let i = 0; i < 1_000; i++) await limits.enter('a')
  expect(await limits.enter('a', { isUrgent: true })).toEqual({ retryAfterMs: 5_000, isResting: false })
  const last = (await limits.enter('a')) as { retryAfterMs: number }
  expect(last.retryAfterMs).toBeGreaterThan(100_000)
})

test('a host that goes on failing is paused longer each time, up to an hour, until it succeeds', async () => {
  let now = 0
  const limits = new HostLimits({ now: () => now })
  const ask = async (result: 'ok' | 'failed') => {
    const slot = await limits.enter('a')
    if ('retryAfterMs' in slot) return slot.retryAfterMs
    slot.release(result)
    return 0
  }
  const pauses: number[] = []
  while (pauses.length < 8) {
    const pause = await ask('failed')
    if (pause > 0) pauses.push(pause)
    now += pause
  }
  expect(pauses.map((ms) => ms / 60_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  expect(await ask('ok')).toBe(0)
  for (let i = 0; i < 5; i++) expect(await ask('failed')).toBe(0)
  expect(await ask('failed')).toBe(60_000)
})

const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPgpv'

/** A gateway on this machine; its base URL. */
async function gateway(answer: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ipfs/`, close }
}

const runWith = (fetcher: MetadataFetcher, path: string) =>
  fetcher.run({ kind: 'nft_items', content: { uri: `ipfs://${CID}/${path}` } })

test.each([
  ['answers with errors', (reply: ServerResponse) => reply.writeHead(503).end()],
  ['refuses everything', (reply: ServerResponse) => reply.writeHead(403).end()],
  ['answers late', () => {}],
])('a gateway that %s where another serves is paused, and the other asked meanwhile', async (_, fail) => {
  let now = 0
  let asked = 0
  let isWell = false
  const first = await gateway((_, reply) => {
    asked++
    if (isWell) reply.end('{"name":"first"}')
    else fail(reply)
  })
  const second = await gateway((_, reply) => reply.end('{"name":"second"}'))
  const limits = new HostLimits({ now: () => now, failures: 2 })
  const gateways = [first.url, second.url]
  const fetcher = new MetadataFetcher({ gateways, limits, fetch: { firstByteTimeoutMs: 1_500 } })
  for (let i = 0; i < 4; i++)
    expect(await runWith(fetcher, `${i}`)).toMatchObject({ state: 'ok', record: { name: 'second' } })
  expect([asked, limits.resting]).toEqual([2, 1])
  now = 60_001
  isWell = true
  expect(await runWith(fetcher, '4')).toMatchObject({ record: { name: 'first' } })
  first.close()
  second.close()
})

test('what only a paused gateway may have is asked for again after the pause', async () => {
  const limits = new HostLimits()
  const first = await gateway((_, reply) => reply.end('{"name":"first"}'))
  const second = await gateway((_, reply) => reply.writeHead(504).end())
  for (let i = 0; i < 5; i++) limits.blame(new URL(first.url).host)
  const fetcher = new MetadataFetcher({ gateways: [first.url, second.url], limits })
  expect(await runWith(fetcher, 'a')).toMatchObject({ fault: 'resting', retryAfterMs: expect.any(Number) })
  first.close()
  second.close()
})

test('documents that no gateway has do not pause the gateways for others', async () => {
  const here = await gateway((request, reply) => {
    if (request.url?.endsWith('/lost')) reply.writeHead(504).end()
    else if (!request.url?.endsWith('/late')) reply.end('{"name":"here"}')
  })
  const fetcher = new MetadataFetcher({ gateways: [here.url], fetch: { firstByteTimeoutMs: 1_500 } })
  const run = (path: string) => runWith(fetcher, path)
  for (const path of ['lost', 'late', 'lost', 'late', 'lost', 'lost'])
    expect(await run(path)).toMatchObject({ state: 'failed' })
  expect(await run('good')).toMatchObject({ state: 'ok', record: { name: 'here' } })
  here.close()
})

test('a gateway that cannot be reached is paused', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const limits = new HostLimits()
  const fetcher = new MetadataFetcher({ gateways: [`http://127.0.0.1:${port}/ipfs/`], limits })
  for (let i = 0; i < 5; i++) expect(await runWith(fetcher, 'a')).toMatchObject({ fault: 'network' })
  expect(await runWith(fetcher, 'a')).toMatchObject({
    ...{ state: 'failed', fault: 'resting', isLasting: false },
    retryAfterMs: expect.any(Number),
  })
  expect(limits.resting).toBe(1)
})
