import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { V2Refusal } from '@shardwalk/api-schema'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../server.ts'
import { readBytes } from './read-body.ts'

const BYTES = 1000

let server: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  const app = express()
  app.post('/', async (request, response) => {
    const read = await readBytes(request, BYTES).catch((error: unknown) => error)
    response.end(read instanceof V2Refusal ? `${read.status} ${read.inner}` : String(read))
  })
  server = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterAll(() => server.close(0))

async function posted(encoding: string, body: Buffer): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${server.port}`, {
    method: 'POST',
    headers: { 'Content-Encoding': encoding },
    body: new Uint8Array(body),
  })
  return reply.text()
}

test.each([
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', (body: Buffer) => body],
] as const)('a body that is compressed by %s is inflated', async (encoding, compress) => {
  const body = Buffer.from('{"method":"getMasterchainInfo"}')
  expect(await posted(encoding, compress(body))).toBe(String(body))
})

test('a body that is too large when it is inflated is refused, one of just the size is not', async () => {
  expect(await posted('gzip', gzipSync(Buffer.alloc(BYTES, 0x20)))).toBe(' '.repeat(BYTES))
  expect(await posted('gzip', gzipSync(Buffer.alloc(BYTES + 1, 0x20)))).toBe('413 Payload Too Large')
  expect(await posted('gzip', gzipSync(Buffer.alloc(50_000_000)).subarray(0, 900))).toMatch(/^413 /)
})

test('a body that is not compressed as it says is refused as such', async () => {
  expect(await posted('gzip', Buffer.from('{}'))).toBe(
    '422 body is not compressed as its Content-Encoding says',
  )
  expect(await posted('zip', Buffer.from('{}'))).toBe(
    '422 unknown Content-Encoding zip; accepted: gzip, deflate, br',
  )
})
