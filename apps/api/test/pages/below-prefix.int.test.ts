import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Streams } from '../../src/streaming/streams.ts'
import { Client, type Json } from '../client.ts'
import { type Published, publishBelow } from './prefix-proxy.ts'

const PREFIX = '/a/ton'
const ELECTOR = `-1:${'3'.repeat(64)}`
const PAGES = [
  ...['/', '/blocks', '/blocks/', '//blocks', '/block/latest', '/search?q=7', `/address/${ELECTOR}?tab=nfts`],
  ...['/docs', '/docs/', '/docs//streaming', '/docs/console', '/docs/GET/api/v3/jetton/wallets/'],
  ...['/nothing', '/nothing/at/all/', '/tx/nonsense'],
]

let scratch: ScratchDatabase
const streams: Streams[] = []
const clients: Client[] = []
/** It knows the proxy; the other one does not. */
let client: Client
let other: Client
let proxy: Published
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  const start = async (trustedProxies: string[]) => {
    const pages = { detail: 'full', network: 'sample' } as const
    const onStreams = (made: Streams) => streams.push(made)
    const started = await Client.start(scratch, { pages, streaming: {}, onStreams, trustedProxies })
    clients.push(started)
    return started
  }
  client = await start(['127.0.0.1'])
  other = await start([])
  proxy = await publishBelow(PREFIX, client.server.url)
})
afterAll(async () => {
  proxy?.close()
  for (const one of streams) one.close()
  for (const one of clients) await one.close()
  await scratch?.close()
})

/** What a browser gets: where redirects ended, below `base`, and the addresses of the page. */
async function open(base: string, path: string) {
  const reply = await fetch(base + path, { headers: { accept: 'text/html' } })
  // While the index is slow to answer, pages do not name its newest block.
  const html = (await reply.text()).replace(/Indexed up to .*?<\/span>/, '')
  const found = html.matchAll(/ (?:href|src|action|data-events|data-status|data-status-view)="([^"]*)"/g)
  const addresses = [...found].map(([, one]) => new URL(one!.replaceAll('&amp;', '&'), reply.url).href)
  const withoutBase = (url: string) => (url.startsWith(`${base}/`) ? url.slice(base.length) : url)
  return { status: reply.status, at: withoutBase(reply.url), addresses: addresses.map(withoutBase) }
}

test.each(PAGES)('%s: below a prefix, everything leads to where it leads at the root', async (path) => {
  const below = await open(proxy.url, path)
  expect(below).toEqual(await open(client.server.url, path))
  expect(below.addresses.filter((one) => !one.startsWith('/'))).toEqual([])
  expect(below.addresses.length).toBeGreaterThan(10)
  expect(proxy.strayed).toEqual([])
})

test.each([
  ['/api/v3', '/docs'],
  ['/api/v2/index.html', '/docs/console'],
  ['/search?q=7', '/block/-1/8000000000000000/7'],
  [`/jetton/${ELECTOR}?tab=nfts`, '/address/Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF?tab=nfts'],
])('%s is redirected to %s, below the prefix', async (path, target) => {
  expect((await open(proxy.url, path)).at).toBe(target)
})

test.each(['v3', 'v2', 'emulate', 'streaming'])(
  'the server of the description of %s is the root',
  async (name) => {
    for (const base of [client.server.url, proxy.url]) {
      const reply = await fetch(`${base}/api/${name}/openapi.json`)
      const { servers } = (await reply.json()) as { readonly servers: readonly { readonly url: string }[] }
      expect(servers.map(({ url }) => new URL(url, reply.url).href)).toEqual([`${base}/`])
    }
  },
)

/** What has no relative form. */
async function absolute({ server: { url } }: Client, prefix: string) {
  const ask = (path: string) => fetch(url + path, { headers: { 'X-Forwarded-Prefix': prefix } })
  const read = async (path: string) => (await (await ask(path)).json()) as Json
  const { servers } = (await read('/api/streaming/asyncapi.json')) as { servers: Record<string, Json> }
  const { basePath } = await read('/api/v3/doc.json')
  const html = await (await ask('/docs/GET/api/v3/blocks')).text()
  const [, example] = /<pre[^>]*>curl '([^?]+)/.exec(html)!
  const pathnames = Object.values(servers).map(({ pathname }) => pathname)
  return { basePath, pathnames, example: example!.replace(url, '') }
}

test('what cannot be relative has the prefix that a trusted proxy names', async () => {
  const prefixed = { basePath: '/ton', pathnames: ['/ton', '/ton'], example: '/ton/api/v3/blocks' }
  expect(await absolute(client, '/ton/')).toEqual(prefixed)
  const plain = { basePath: '/', pathnames: [undefined, undefined], example: '/api/v3/blocks' }
  expect(await absolute(other, '/ton/')).toEqual(plain)
  for (const none of ['', '/', '//elsewhere.example', '/a"b', 'ton', `/${'x'.repeat(300)}`])
    expect([none, await absolute(client, none)]).toEqual([none, plain])
})
