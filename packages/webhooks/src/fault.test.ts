import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { OWN_CERTIFICATE } from '@shardwalk/testkit'
import { afterEach, expect, test } from 'vitest'
import { faultOfConnection } from './fault.ts'
import { postEvent } from './post.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const post = (port: number) =>
  postEvent(
    { url: `https://127.0.0.1:${port}/`, secrets: [], id: 'evt_1_2_0', body: Buffer.from('{}') },
    { allowPrivate: true },
  )

test('what is wrong with the connection to a receiver is named', async () => {
  await expect(post(await portOf(createServer(OWN_CERTIFICATE)))).rejects.toThrow(
    /^the certificate is not trusted; NODE_EXTRA_CA_CERTS/,
  )
  await expect(post(await portOf(createPlainServer()))).rejects.toThrow(/^no encryption was agreed on$/)
  const port = await portOf(createPlainServer())
  await new Promise((resolve) => servers.pop()?.close(resolve))
  await expect(post(port)).rejects.toThrow(/^the connection was refused$/)
})

test.each([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate has another name'],
  ['ECONNRESET', 'the connection failed'],
])('%s: %s', (code, fault) => {
  expect(faultOfConnection(Object.assign(new Error('with what was sent'), { code }))).toBe(fault)
})
