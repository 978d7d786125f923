import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { checkTarget, postEvent } from '../src/index.ts'
import { DeliveryFailed, type PostOptions } from '../src/post.ts'
import { failureDelays } from '../src/schedule.ts'
import { signatureOf } from '../src/sign.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const LOCAL: PostOptions = { allowPrivate: true }

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`
}

const delivery = (url: string) => ({
  url,
  secrets: [SECRET],
  id: 'evt_1_2_0',
  body: Buffer.from('{"type":"test"}'),
})

const failureOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(DeliveryFailed)
  return (error as DeliveryFailed).message
}

test('a signature is that of Standard Webhooks', () => {
  // Source: svix, tests of its libraries.
  const signed = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: Buffer.from('{"test": 2432232314}'),
  }
  expect(signatureOf(signed)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('the code of docs/webhooks.md accepts what is sent, and nothing changed or old', async () => {
  const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
  const code = /```js\n([\s\S]+?)```/.exec(page)![1]!
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isGenuine: (secret: string, headers: IncomingHttpHeaders, body: Buffer) => boolean
  }
  const got: {
    headers: IncomingHttpHeaders
    body: Buffer
    method: string | undefined
    url: string | undefined
  }[] = []
  const url = await serve(async (request, reply) => {
    const { headers, method, url } = request
    got.push({ headers, method, url, body: Buffer.concat(await request.toArray()) })
    reply.end('ignored')
  })
  expect(await postEvent(delivery(url), LOCAL)).toBe(200)
  const old = () => Math.floor(Date.now() / 1000) - 301
  expect(await postEvent(delivery(url), { ...LOCAL, now: old })).toBe(200)
  const [first, second] = got
  expect(first).toMatchObject({ method: 'POST', url: '/hook?a=b' })
  expect(first!.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'evt_1_2_0' })
  expect(isGenuine(SECRET, first!.headers, first!.body)).toBe(true)
  expect(isGenuine(SECRET, first!.headers, Buffer.from('{"type":"tesT"}'))).toBe(false)
  expect(isGenuine(SECRET, { ...first!.headers, 'webhook-id': 'evt_1_3_0' }, first!.body)).toBe(false)
  expect(isGenuine(SECRET.replace('c', 'd'), first!.headers, first!.body)).toBe(false)
  expect(isGenuine(SECRET, { ...first!.headers, 'webhook-signature': 'v1,AAAA' }, first!.body)).toBe(false)
  expect(isGenuine(SECRET, second!.headers, second!.body)).toBe(false)
})

describe('not accepted', () => {
  test.each([199, 300, 304, 400, 404, 410, 429, 500, 503].filter((status) => status >= 200))(
    'status %i',
    async (status) => {
      const url = await serve((_, reply) => reply.writeHead(status).end())
      expect(await failureOf(postEvent(delivery(url), LOCAL))).toBe(`status ${status}`)
    },
  )

  test.each([301, 302, 303, 307, 308])('a redirect (%i), which nobody follows', async (status) => {
    let reached = 0
    const inner = await serve((_, reply) => {
      reached++
      reply.end()
    })
    const url = await serve((_, reply) => reply.writeHead(status, { location: inner }).end())
    expect(await failureOf(postEvent(delivery(url), LOCAL))).toBe(`status ${status}`)
    expect(reached).toBe(0)
  })

  test('no reply in time, whatever the receiver does meanwhile', async () => {
    const silent = await serve(() => {})
    const slow = await serve((_, reply) => {
      const timer = setInterval(() => reply.writeContinue(), 5)
      reply.on('close', () => clearInterval(timer))
    })
    for (const url of [silent, slow])
      expect(await failureOf(postEvent(delivery(url), { ...LOCAL, timeoutMs: 100 }))).toBe(
        'no answer in time',
      )
  })

  test('a connection that is refused, or closed without a reply', async () => {
    const url = await serve((request) => request.socket.destroy())
    expect(await failureOf(postEvent(delivery(url), LOCAL))).toMatch(/^the connection/)
    servers[0]!.close()
    expect(await failureOf(postEvent(delivery(url), LOCAL))).toMatch(/^the connection/)
  })

  test('a delivery that is stopped', async () => {
    const stop = new AbortController()
    const url = await serve(() => stop.abort())
    expect(await failureOf(postEvent(delivery(url), { ...LOCAL, signal: stop.signal }))).toBe('stopped')
    expect(await failureOf(postEvent(delivery(url), { ...LOCAL, signal: stop.signal }))).toBe('stopped')
  })
})

test('an endless reply is not read', async () => {
  let written = 0
  const url = await serve((_, reply) => {
    const chunk = Buffer.alloc(65_536)
    const write = (): void => {
      if (reply.destroyed) return
      written += chunk.length
      if (reply.write(chunk)) setImmediate(write)
      else reply.once('drain', write)
    }
    write()
  })
  expect(await postEvent(delivery(url), LOCAL)).toBe(200)
  await expect.poll(() => servers[0]!.connections ?? 0).toBeLessThan(1)
  expect(written).toBeLessThan(64 * 1024 * 1024)
})

describe('without private targets', () => {
  const PUBLIC: PostOptions = { allowPrivate: false }

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.1.2.3/',
    'http://user:password@8.8.8.8/',
    'http://8.8.8.8:22/',
    'http://8.8.8.8:6379/',
    'ftp://8.8.8.8/',
    'no url',
  ])('%s is refused before anything is sent', async (url) => {
    expect(() => checkTarget(url, PUBLIC)).toThrow()
    await failureOf(postEvent(delivery(url), PUBLIC))
  })

  test('a name with a private address is refused, whenever it has one', async () => {
    let reached = 0
    const url = await serve((_, reply) => {
      reached++
      reply.end()
    })
    const { port } = new URL(url)
    const named = delivery(`http://hooks.example:${port}/`)
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::1'], []])
      expect(await failureOf(postEvent(named, { ...PUBLIC, resolve: async () => addresses }))).toMatch(
        /^the host (is not a public one|has no address)$/,
      )
    expect(reached).toBe(0)
    // The same server, once the operator allows it.
    expect(await postEvent(named, { ...LOCAL, resolve: async () => ['127.0.0.1'] })).toBe(200)
  })
})

test('attempts come at growing distances, and a receiver that always fails is left alone for a while', () => {
  const delays = (attempts: number, failures: number) => failureDelays({ attempts, failures, random: 0.5 })
  const events = [1, 2, 3, 4, 11, 1000].map((attempts) => delays(attempts, 0).eventDelay)
  expect(events).toEqual([5, 10, 20, 40, 3600, 3600])
  const webhook = [0, 1, 2, 3, 4, 10, 11, 5000].map((failures) => delays(1, failures).webhookDelay)
  expect(webhook).toEqual([0, 0, 1, 2, 4, 256, 300, 300])
})
