import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { FetchError, type FetchOptions, fetchUrl, HostLimits, MetadataFetcher } from '../src/index.ts'
import { closeServers, HERE, json, LOCAL, serve, servers } from './local-servers.ts'

afterEach(closeServers)

const faultOf = async (fetching: Promise<unknown>): Promise<string> => {
  try {
    await fetching
    return 'none'
  } catch (error) {
    if (error instanceof FetchError) return error.fault
    throw error
  }
}

describe('refused without connecting', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0/',
    'http://10.1.2.3/',
    'http://user:password@8.8.8.8/',
    'http://8.8.8.8:22/',
    'http://8.8.8.8:6379/',
    'https://8.8.8.8:5432/',
  ])('%s is blocked', async (url) => {
    expect(await faultOf(fetchUrl(url))).toBe('blocked')
  })

  test.each([
    'file:///etc/passwd',
    'ftp://8.8.8.8/',
    'tonstorage://abc',
    'gopher://8.8.8.8:70/_x',
    'no url',
    '//x',
  ])('%s is unsupported', async (url) => {
    expect(await faultOf(fetchUrl(url))).toBe('unsupported')
  })

  test('a name with any private address is blocked even if others are public', async () => {
    for (const bad of ['10.0.0.1', '::1', '100.64.0.1', '::ffff:8.8.8.8', 'fe80::1', 'garbage'])
      expect(await faultOf(fetchUrl('http://a.example/', { resolve: async () => ['8.8.8.8', bad] }))).toBe(
        'blocked',
      )
  })

  test('localhost is blocked by the default policy and resolver', async () => {
    const port = await serve(json({}))
    expect(await faultOf(fetchUrl(`http://localhost:${port}/`))).toBe('blocked')
  })
})

test('the connection goes to the checked address; the name is not resolved again', async () => {
  let hits = 0
  const port = await serve((_, reply) => {
    hits++
    reply.end('{}')
  })
  let asked = 0
  // Public at first, private afterwards: resolving again would connect to this machine.
  const resolve = async () => [asked++ === 0 ? '192.0.2.77' : HERE]
  const fault = await faultOf(
    fetchUrl(`http://rebind.example:${port}/`, {
      isAllowed: (a) => a === '192.0.2.77',
      resolve,
      connectTimeoutMs: 300,
    }),
  )
  expect(['timeout', 'network']).toContain(fault)
  expect([asked, hits]).toEqual([1, 0])
})

describe('a host with two addresses', () => {
  /** Takes connections at IPv6 alone; undefined where there is none. */
  async function serveSix(listener: RequestListener): Promise<number | undefined> {
    const server = createServer(listener)
    if (!(await isListening(server, 0, '::1'))) return undefined
    servers.push(server)
    return (server.address() as AddressInfo).port
  }

  /** Both at one port, which at first another program may have at one of the addresses. */
  async function serveBoth(six: RequestListener, four: RequestListener): Promise<number | undefined> {
    for (;;) {
      const port = await serveSix(six)
      if (port === undefined) return undefined
      const server = createServer(four)
      if (!(await isListening(server, port, HERE))) continue
      servers.push(server)
      return port
    }
  }

  const isListening = (server: Server, port: number, host: string): Promise<boolean> =>
    new Promise((resolve) =>
      server.once('error', () => resolve(false)).listen(port, host, () => resolve(true)),
    )

  const BOTH: FetchOptions = {
    isAllowed: (address) => address === HERE || address === '::1',
    resolve: async () => ['::1', HERE],
  }

  test('is reached at the one that the machine reaches', async ({ skip }) => {
    const port = await serveSix(json({}))
    if (port === undefined) return skip()
    const { body } = await fetchUrl(`http://token.example:${port}/`, BOTH)
    expect(body.toString()).toBe('{}')
    const isFour: FetchOptions = { ...BOTH, isAllowed: (address) => address === '::1' }
    expect(await faultOf(fetchUrl(`http://token.example:${port}/`, isFour))).toBe('blocked')
  })

  test('is not asked again at the other one once it has taken the connection', async ({ skip }) => {
    const asked: string[] = []
    const port = await serveBoth(
      (_, reply) => {
        asked.push('six')
        reply.end('{}')
      },
      (request) => {
        asked.push('four')
        request.destroy()
      },
    )
    if (port === undefined) return skip()
    expect(await faultOf(fetchUrl(`http://token.example:${port}/`, BOTH))).toBe('network')
    expect(asked).toEqual(['four'])
  })

  test('and no connection to either is given up within the limit for connecting', async () => {
    const { signal } = new AbortController()
    const beganAt = performance.now()
    // Of the range for documentation, which nobody routes.
    const resolve = async () => ['192.0.2.1', '192.0.2.2']
    const nowhere: FetchOptions = { isAllowed: () => true, resolve, connectTimeoutMs: 400, signal }
    expect(await faultOf(fetchUrl('http://token.example/', nowhere))).toBe('network')
    expect(performance.now() - beganAt).toBeLessThan(3_000)
  })
})

test('a request contains the host name and no secrets', async () => {
  let headers: NodeJS.Dict<string | string[]> = {}
  const port = await serve((request, reply) => {
    headers = request.headers
    reply.end('{"name":"x"}')
  })
  const { body, url } = await fetchUrl(`http://token.example:${port}/a.json?b=1`, LOCAL)
  expect([body.toString(), url]).toEqual(['{"name":"x"}', `http://token.example:${port}/a.json?b=1`])
  expect(headers['host']).toBe(`token.example:${port}`)
  expect(Object.keys(headers).sort()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ])
})

describe('redirects', () => {
  const redirect = (to: (port: number) => string, more: Partial<FetchOptions> = {}) =>
    (async () => {
      let port = 0
      port = await serve((request, reply) =>
        request.url === '/start' ? reply.writeHead(302, { location: to(port) }).end() : reply.end('{}'),
      )
      return await faultOf(fetchUrl(`http://token.example:${port}/start`, { ...LOCAL, ...more }))
    })()

  test('one to a path of the same host is followed', async () =>
    expect(await redirect(() => '/end')).toBe('none'))
  test.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://8.8.8.8:22/',
    'http://a:b@8.8.8.8/',
  ])('one to %s is blocked', async (to) => expect(await redirect(() => to)).toBe('blocked'))
  test('one to another scheme is not followed', async () =>
    expect(await redirect(() => 'file:///etc/passwd')).toBe('unsupported'))
  test('one to a name with a private address is blocked', async () => {
    const resolve = async (host: string) => [host === 'token.example' ? HERE : '192.168.0.1']
    expect(await redirect((port) => `http://inside.example:${port}/`, { resolve })).toBe('blocked')
  })
  test('a name that becomes private between two hops is blocked', async () => {
    let asked = 0
    const resolve = async () => [asked++ === 0 ? HERE : '10.0.0.1']
    expect(await redirect(() => '/end', { resolve })).toBe('blocked')
  })
  test('letters of its URL in UTF-8, or percent-encoded, are those of the next request', async () => {
    const locations: Record<string, string> = {
      '/utf8': Buffer.from('/токен').toString('latin1'),
      '/encoded': encodeURI('/токен'),
    }
    const port = await serve(({ url }, reply) => {
      if (url === encodeURI('/токен')) return void reply.end('{}')
      const location = locations[url!]
      reply.writeHead(location ? 302 : 404, location ? { location } : {}).end()
    })
    for (const path of ['utf8', 'encoded'])
      expect(await faultOf(fetchUrl(`http://token.example:${port}/${path}`, LOCAL))).toBe('none')
  })
  test('a loop ends after three', async () => expect(await redirect(() => '/start')).toBe('redirects'))
})

describe('bodies', () => {
  const limit = { ...LOCAL, maxBytes: 10_000 }
  const get = async (listener: RequestListener, options: FetchOptions = limit) =>
    await faultOf(fetchUrl(`http://token.example:${await serve(listener)}/`, options))

  test('a declared size above the limit is refused without reading', async () =>
    expect(await get((_, reply) => reply.writeHead(200, { 'content-length': 10_001 }).write('x'))).toBe(
      'too_big',
    ))

  test('an endless body is abandoned at the limit', async () => {
    let sent = 0
    const fault = await get((_, reply) => {
      const more = () => {
        while (!reply.destroyed && sent < 50_000_000) {
          sent += 4096
          if (!reply.write(Buffer.alloc(4096, 32))) return void reply.once('drain', more)
        }
      }
      more()
    })
    expect(fault).toBe('too_big')
    expect(sent).toBeLessThan(50_000_000)
  })

  test.each([
    ['gzip', 'gzip', gzipSync],
    ['br', 'br', brotliCompressSync],
    ['deflate', 'deflate', deflateSync],
    ['deflate without the zlib header', 'deflate', deflateRawSync],
  ] as const)('the limit applies to the decompressed size of a body in %s', async (_, encoding, pack) => {
    const bomb = pack(Buffer.alloc(20_000_000, 32))
    const send: RequestListener = (_, reply) =>
      reply.writeHead(200, { 'content-encoding': encoding }).end(bomb)
    expect(await get(send, { ...LOCAL, maxBytes: 100_000 })).toBe('too_big')
    const small: RequestListener = (_, reply) =>
      reply.writeHead(200, { 'content-encoding': encoding }).end(pack(Buffer.from('{}')))
    expect(await get(small)).toBe('none')
  })

  test('the limit applies to the packed size of a body of which nothing comes', async () => {
    let sent = 0
    // Stored blocks of no bytes, none of which is the last. Source: RFC 1951, 3.2.4.
    const nothing = Buffer.alloc(5_000, Buffer.from([0, 0, 0, 0xff, 0xff]))
    const fault = await get((_, reply) => {
      reply.writeHead(200, { 'content-encoding': 'deflate' }).write(Buffer.from([0x78, 0x9c]))
      const more = () => {
        while (!reply.destroyed && sent < 20_000_000) {
          sent += nothing.length
          if (!reply.write(nothing)) return void reply.once('drain', more)
        }
        reply.end()
      }
      more()
    })
    expect(fault).toBe('too_big')
    expect(sent).toBeLessThan(20_000_000)
  })

  test('unknown and invalid compression is refused', async () => {
    const as =
      (encoding: string): RequestListener =>
      (_, reply) =>
        reply.writeHead(200, { 'content-encoding': encoding }).end('xx')
    expect(await get(as('zstd'))).toBe('unsupported')
    expect(await get(as('__proto__'))).toBe('unsupported')
    expect(await get(as('gzip'))).toBe('parse')
    expect(await get(as('deflate'))).toBe('parse')
    const nothing: RequestListener = (_, reply) =>
      reply.writeHead(200, { 'content-encoding': 'deflate' }).end()
    expect(await get(nothing)).toBe('parse')
  })

  test('silent, slow and disconnecting servers do not block the fetcher', async () => {
    expect(await get(() => {}, { ...LOCAL, firstByteTimeoutMs: 50 })).toBe('timeout')
    const drip: RequestListener = (_, reply) => {
      const timer = setInterval(() => reply.write(' '), 5)
      reply.on('close', () => clearInterval(timer))
    }
    expect(await get(drip, { ...LOCAL, timeoutMs: 100 })).toBe('timeout')
    expect(await get((request) => request.socket.destroy())).toBe('network')
    expect(
      await faultOf(fetchUrl('http://a.example/', { resolve: () => new Promise(() => {}), timeoutMs: 30 })),
    ).toBe('timeout')
    expect(
      await faultOf(fetchUrl('http://a.example/', { resolve: () => Promise.reject(new Error('NX')) })),
    ).toBe('dns')
  })

  test('only status 200 yields a document', async () => {
    const status =
      (code: number): RequestListener =>
      (_, reply) =>
        reply.writeHead(code).end()
    expect(await get(status(404))).toBe('gone')
    expect(await get(status(500))).toBe('status')
    expect(await get(status(204))).toBe('status')
    expect(await get(status(302))).toBe('status')
  })
})

describe('IPFS', () => {
  const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPgp'
  const cid = `${CID}v`.slice(0, 46)

  test('the next gateway is tried if one fails, and gateways may have private addresses', async () => {
    const dead = await serve((_, reply) => reply.writeHead(502).end())
    const paths: string[] = []
    const good = await serve((request, reply) => {
      paths.push(request.url ?? '')
      reply.end('{"name":"ipfs","image":"1.png"}')
    })
    const gateways = [`http://127.0.0.1:${dead}/ipfs`, `http://127.0.0.1:${good}/ipfs/`]
    const fetcher = new MetadataFetcher({ gateways })
    const outcome = await fetcher.run({ kind: 'nft_items', content: { uri: `ipfs://${cid}/a/0.json` } })
    expect(outcome).toMatchObject({ state: 'ok', record: { name: 'ipfs', image: `ipfs://${cid}/a/1.png` } })
    expect(paths).toEqual([`/ipfs/${cid}/a/0.json`])
  })

  test('a gateway that redirects to a private host is not followed', async () => {
    const port = await serve((_, reply) => reply.writeHead(302, { location: 'http://127.0.0.1:1234/' }).end())
    const fetcher = new MetadataFetcher({ gateways: [`http://127.0.0.1:${port}/ipfs/`] })
    const outcome = await fetcher.run({ kind: 'nft_items', content: { uri: `ipfs://${cid}` } })
    // A connection attempt would have failed with 'network'.
    expect(outcome).toMatchObject({ state: 'failed', fault: 'status' })
  })

  test('a gateway that redirects to another service of its own private host is not followed', async () => {
    const paths: string[] = []
    const port = await serve((request, reply) => {
      paths.push(request.url ?? '')
      reply.writeHead(302, { location: '/api/v0/shutdown' }).end()
    })
    const fetcher = new MetadataFetcher({ gateways: [`http://127.0.0.1:${port}/ipfs/`] })
    const outcome = await fetcher.run({ kind: 'nft_items', content: { uri: `ipfs://${cid}/x` } })
    expect(outcome).toMatchObject({ state: 'failed' })
    expect(paths).toEqual([`/ipfs/${cid}/x`])
  })

  test.each([
    'ipfs://',
    'ipfs://../../x',
    `ipfs://${cid}/.\t./.\t./admin`,
    `ipfs://${cid}/.\n./.\n./admin`,
    `ipfs://${cid}/../../admin`,
    `ipfs://${cid}/%2e%2e/x`,
    'ipfs://localhost/x',
  ])('%s is not sent to a gateway', async (uri) => {
    let asked = 0
    const port = await serve((_, reply) => {
      asked++
      reply.end('{}')
    })
    const fetcher = new MetadataFetcher({ gateways: [`http://127.0.0.1:${port}/ipfs/`] })
    expect(await fetcher.run({ kind: 'nft_items', content: { uri } })).toMatchObject({
      state: 'failed',
      isLasting: true,
    })
    expect(asked).toBe(0)
  })
})

test('a host gets four concurrent requests, and a pause after five consecutive failures', async () => {
  let now = 0
  const limits = new HostLimits({ now: () => now, waiting: 2 })
  const slots = await Promise.all(Array.from({ length: 4 }, () => limits.enter('a')))
  const fifth = limits.enter('a')
  const sixth = limits.enter('a')
  expect(await limits.enter('a')).toHaveProperty('retryAfterMs')
  expect(await limits.enter('b')).toHaveProperty('release')
  const end = (slot: Awaited<ReturnType<HostLimits['enter']>> | undefined) => {
    if (slot && 'release' in slot) slot.release('failed')
  }
  for (const slot of slots) end(slot)
  end(await fifth)
  expect(await sixth).toHaveProperty('release')
  expect(await limits.enter('a')).toEqual({ retryAfterMs: 60_000, isResting: true })
  expect(limits.resting).toBe(1)
  now = 60_001
  expect(await limits.enter('a')).toHaveProperty('release')
})
