import type { RequestListener } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { MetadataFetcher } from '../src/index.ts'
import { closeServers, json, LOCAL, serve } from './local-servers.ts'

afterEach(closeServers)

const run = async (listener: RequestListener, content: Record<string, string> = {}) => {
  const port = await serve(listener)
  const fetcher = new MetadataFetcher({ fetch: LOCAL })
  const uri = `http://token.example:${port}/meta/a.json`
  return await fetcher.run({ kind: 'jetton_masters', content: { uri, ...content } })
}

test('the chain takes precedence by name, decimals become text, a relative image is resolved', async () => {
  const document = {
    name: 'Off',
    symbol: 'OFF',
    decimals: 6,
    image: '../x.png',
    websites: ['a'],
    extra: { a: 1, b: 2 },
  }
  const outcome = await run(json(document), { symbol: 'ON', description: 'chain' })
  expect(outcome).toMatchObject({
    state: 'ok',
    record: {
      name: 'Off',
      symbol: 'ON',
      description: 'chain',
      extra: { decimals: '6', websites: ['a'], a: 1, b: 2 },
    },
  })
  expect(outcome.state === 'ok' && outcome.record.image).toMatch(/^http:\/\/token\.example:\d+\/x\.png$/)
})

test.each([
  ['nft_items', { name: 'On' }, { description: 'not enough' }],
  ['nft_collections', { description: 'On' }, { color: 'not enough' }],
  ['jetton_masters', { symbol: 'On' }, { name: 'not enough' }],
] as const)('%s: the chain alone, a document alone, both, and neither', async (kind, enough, tooLittle) => {
  const good = await serve(json({ name: 'Off', symbol: 'OFF', description: 'off', x: 1 }))
  const bad = await serve((_, reply) => reply.writeHead(404).end())
  const fetcher = new MetadataFetcher({ fetch: LOCAL })
  const fetched = (content: Record<string, string>) => fetcher.run({ kind, content })
  const uri = (port: number) => `http://token.example:${port}/a.json`
  const members = { name: 'Off', symbol: 'OFF', description: 'off' }
  const extra = expect.objectContaining({ x: 1 })
  expect(await fetched(enough)).toMatchObject({ state: 'ok', record: enough })
  expect(await fetched(tooLittle)).toMatchObject({
    state: 'failed',
    fault: 'not_enough',
    fallback: undefined,
  })
  expect(await fetched({ uri: uri(good) })).toMatchObject({ state: 'ok', record: { ...members, extra } })
  expect(await fetched({ ...enough, uri: uri(good) })).toMatchObject({
    state: 'ok',
    record: { ...members, ...enough, extra },
  })
  expect(await fetched({ ...enough, uri: uri(bad) })).toMatchObject({ state: 'failed', fallback: enough })
  expect(await fetched({ ...tooLittle, uri: uri(bad) })).toMatchObject({
    state: 'failed',
    fallback: undefined,
  })
  // `url` is the name in old tokens and takes precedence.
  expect(await fetched({ url: uri(good), uri: uri(bad) })).toMatchObject({ state: 'ok' })
})

test('the content decides, not the declared content type', async () => {
  const as =
    (type: string, body: string): RequestListener =>
    (_, reply) =>
      reply.writeHead(200, { 'content-type': type }).end(body)
  for (const type of ['text/html', 'image/png', 'application/octet-stream', 'x'])
    expect(await run(as(type, '{"name":"x"}'))).toMatchObject({ state: 'ok', record: { name: 'x' } })
  expect(await run(as('application/json', '<html>'))).toMatchObject({ state: 'failed', fault: 'parse' })
})

test.each([
  ['an array', '[1]'],
  ['a text', '"x"'],
  ['null', 'null'],
  ['a page', '<html>'],
  ['nothing', ''],
  ['half an object', '{"name":'],
  ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
  ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['very deep nesting', '['.repeat(200_000)],
])('%s is not a document; on-chain content is kept if sufficient', async (_, body) => {
  const send: RequestListener = (_request, reply) => reply.end(body)
  expect(await run(send)).toMatchObject({
    state: 'failed',
    fault: 'parse',
    isLasting: true,
    fallback: undefined,
  })
  expect(await run(send, { symbol: 'ON' })).toMatchObject({ state: 'failed', fallback: { symbol: 'ON' } })
})

test('prototype names, NUL characters, lone surrogates and reserved names are removed', async () => {
  const body =
    '\ufeff{"name":"a\\u0000b\\ud800c","__proto__":{"polluted":1},' +
    '"constructor":{"prototype":{"polluted":1}},"_image_small":"/x","symbol":5,' +
    '"x":{"__proto__":{"y":1},"k\\u0000":"\\udc00"},"n":1e999,"decimals":"300"}'
  const outcome = await run((_, reply) => reply.end(body))
  expect(outcome.state === 'ok' && outcome.record.name).toBe('abc')
  expect(outcome.state === 'ok' && JSON.stringify(outcome.record.extra)).toContain('"symbol":5,"x":{"k":""}')
  const text = JSON.stringify(outcome)
  for (const word of ['polluted', '__proto__', 'constructor', '_image', 'decimals'])
    expect(text).not.toContain(word)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('long texts are truncated, and the largest members dropped', async () => {
  const outcome = await run(
    json({ name: 'n'.repeat(1000), description: 'd'.repeat(20_000), big: 'b'.repeat(70_000), small: 1 }),
  )
  if (outcome.state !== 'ok') throw new Error('not fetched')
  expect([outcome.record.name?.length, outcome.record.description?.length]).toEqual([256, 16_384])
  expect(Object.keys(outcome.record.extra).sort()).toEqual(['small', 'uri'])
})

test('a name after a list of more members than are read is not lost', async () => {
  const outcome = await run(json({ holders: Array.from({ length: 20_000 }, (_, n) => n), name: 'N' }))
  expect(outcome).toMatchObject({ state: 'ok', record: { name: 'N' } })
})

test('a document in a data URL needs no network', async () => {
  const fetcher = new MetadataFetcher()
  const uri = `data:application/json;base64,${Buffer.from('{"name":"inline"}').toString('base64')}`
  const outcome = await fetcher.run({ kind: 'nft_items', content: { uri } })
  expect(outcome).toMatchObject({ state: 'ok', record: { name: 'inline' } })
  const long = await fetcher.run({
    kind: 'nft_items',
    content: { uri: `data:,{"a":"${'x'.repeat(70_000)}"}` },
  })
  expect(long).toMatchObject({ state: 'failed', fault: 'too_big' })
})

test('percent signs in a data URL are octets of base64 too, or stand for themselves', async () => {
  const document = '{"name":"100% ~~~???"}'
  const base64 = Buffer.from(document).toString('base64')
  for (const uri of [
    `data:application/json;base64,${encodeURIComponent(base64)}`,
    `data:application/json;utf8,${document}`,
    `data:application/json,${encodeURIComponent(document)}`,
  ])
    expect(await new MetadataFetcher().run({ kind: 'nft_items', content: { uri } })).toMatchObject({
      state: 'ok',
      record: { name: '100% ~~~???' },
    })
})
