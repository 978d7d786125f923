import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untrustedResolver } from '../src/resolve-host.ts'

/** A name server that knows addresses of `good.example` and never answers for other names. */
let server: Socket
let resolve: ReturnType<typeof untrustedResolver>
let asked = 0
beforeAll(async () => {
  server = createSocket('udp4', (query, { port, address }) => {
    asked++
    if (query.includes('good')) server.send(answerTo(query), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  resolve = untrustedResolver([`127.0.0.1:${server.address().port}`])
})
afterAll(() => server.close())

const A = 1
const ADDRESSES = { 4: [192, 0, 2, 7], 6: [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 9] } as const

/** Source: RFC 1035, 4.1. */
function answerTo(query: Buffer): Buffer {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const type = question.readUInt16BE(question.length - 4)
  const data = Buffer.from(type === A ? ADDRESSES[4] : ADDRESSES[6])
  const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length])
  return Buffer.concat([header, question, record, data])
}

test('a name has its addresses of both families', async () => {
  expect(await resolve('good.example', new AbortController().signal)).toEqual(['192.0.2.7', '2001:db8::9'])
})

test('names whose servers never answer hold up no other name, and end when their fetch does', async () => {
  const over = new AbortController()
  const before = asked
  const silent = Array.from({ length: 64 }, (_, n) => resolve(`silent${n}.example`, over.signal))
  const ends = Promise.allSettled(silent)
  await expect.poll(() => asked - before).toBeGreaterThanOrEqual(64)
  const start = performance.now()
  expect(await resolve('good.example', new AbortController().signal)).toContain('192.0.2.7')
  over.abort()
  expect(new Set((await ends).map(({ status }) => status))).toEqual(new Set(['rejected']))
  expect(performance.now() - start).toBeLessThan(1_900)
})

test.each(['localhost', 'a.localhost', 'LOCALHOST.'])('%s is this machine and refused', async (name) => {
  await expect(resolve(name, new AbortController().signal)).rejects.toMatchObject({ fault: 'blocked' })
})
