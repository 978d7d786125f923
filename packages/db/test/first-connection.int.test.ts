import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { awaitDatabase, DatabaseRefused, DatabaseUnreachable, DatabaseUnsuitable } from '@shardwalk/db'
import { OWN_CERTIFICATE, type ScratchDatabase, scratchDatabase, startPooler } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'

let scratch: ScratchDatabase
const servers: Server[] = []

beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(async () => {
  for (const server of servers) server.close()
  await scratch?.close()
})

const edited = (change: (url: URL) => void): string => {
  const url = new URL(scratch.url)
  change(url)
  return url.toString()
}

async function listen(onConnection: (socket: Socket) => void, port = 0): Promise<number> {
  const server = createServer(onConnection).listen(port, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const toDatabase = (socket: Socket) => {
  const { hostname, port } = new URL(scratch.url)
  const upstream = connect(Number(port), hostname)
  socket.on('error', () => upstream.destroy()).pipe(upstream)
  upstream.on('error', () => socket.destroy()).pipe(socket)
}

const at = (port: number) =>
  edited((url) => {
    url.hostname = '127.0.0.1'
    url.port = String(port)
  })

test('an available server is used at once', async () => {
  await awaitDatabase({ url: scratch.url, waitMs: 0 })
})

test('a server that starts later is waited for', async () => {
  const port = await freePort()
  const reasons: string[] = []
  const onWaiting = (reason: Error) => {
    reasons.push(reason.message)
    if (reasons.length === 1) void listen(toDatabase, port)
  }
  await awaitDatabase({ url: at(port), waitMs: 30_000, onWaiting })
  expect(reasons[0]).toContain('ECONNREFUSED')
})

test.each([
  ['hangs up', 2, (socket: Socket) => void socket.end()],
  ['says nothing', 1, () => {}],
  [
    'is starting',
    2,
    (socket: Socket) => void socket.end(refusal('57P03', 'the database system is starting up')),
  ],
])('a server that %s is waited for, and abandoned in the end', async (_what, least, behave) => {
  let attempts = 0
  const port = await listen((socket) => {
    attempts++
    socket.on('error', () => {})
    behave(socket)
  })
  await expect(awaitDatabase({ url: at(port), waitMs: 1200 })).rejects.toThrow(DatabaseUnreachable)
  expect(attempts).toBeGreaterThanOrEqual(least)
})

/** Source: PostgreSQL, 54.7 "Message Formats": ErrorResponse. */
function refusal(state: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

test.each([
  ['a wrong password', (url: URL) => void (url.password = 'topsecret'), '28P01'],
  ['no password', (url: URL) => void (url.password = ''), undefined],
  ['a database that is not there', (url: URL) => void (url.pathname = '/nowhere'), '3D000'],
  [
    'encryption that the server does not offer',
    (url: URL) => void url.searchParams.set('sslmode', 'verify-full'),
    undefined,
  ],
])('%s is reported at once, without the password', async (_what, change, state) => {
  const onWaiting = () => expect.unreachable('waits for what will not change')
  const error = await awaitDatabase({ url: edited(change), waitMs: 30_000, onWaiting }).catch(
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(DatabaseRefused)
  expect(error.sqlState).toBe(state)
  expect(String(error)).not.toMatch(`topsecret|${new URL(scratch.url).password}`)
})

const refused = (url: string) => {
  const onWaiting = () => expect.unreachable('waits for what will not change')
  return awaitDatabase({ url, waitMs: 30_000, onWaiting }).catch((reason: unknown) => reason)
}

const withParameters = (url: string, parameters: Readonly<Record<string, string>>): string =>
  `${url}?${new URLSearchParams(parameters)}`

/** The database behind a server that says it is of version 14. */
function toOlderDatabase(socket: Socket): void {
  const { hostname, port } = new URL(scratch.url)
  const upstream = connect(Number(port), hostname)
  socket.on('error', () => upstream.destroy()).pipe(upstream)
  upstream
    .on('error', () => socket.destroy())
    .on('data', (bytes) => {
      const text = bytes.toString('latin1').replace(/(?<=server_version\0)\d\d/, '14')
      socket.write(Buffer.from(text, 'latin1'))
    })
}

test('a server that is too old is reported at once', async () => {
  const error = await refused(at(await listen(toOlderDatabase)))
  expect(error).toBeInstanceOf(DatabaseUnsuitable)
  expect(String(error)).toMatch(/PostgreSQL 14\S* is too old, 15 or later is needed/)
})

test('a database in another encoding is reported at once, and how to create one', async () => {
  const name = `${new URL(scratch.url).pathname.slice(1)}_latin1`
  await scratch.pool.query(
    `create database ${name} template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'`,
  )
  try {
    const error = await refused(edited((url) => void (url.pathname = `/${name}`)))
    expect(error).toBeInstanceOf(DatabaseUnsuitable)
    expect(String(error)).toContain('encoding of the database is LATIN1')
  } finally {
    await scratch.pool.query(`drop database ${name} with (force)`)
  }
})

const secureContext = createSecureContext(OWN_CERTIFICATE)
const encrypted = (onConnection: (socket: Socket) => void) => (socket: Socket) => {
  // The answer to a request for encryption.
  socket.once('data', () => {
    socket.write('S')
    onConnection(new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {}))
  })
}

test('a certificate that is not trusted is reported at once, as is a missing file of one', async () => {
  const port = await listen(encrypted(() => {}))
  const untrusted = await refused(withParameters(at(port), { sslmode: 'require' }))
  expect(untrusted).toBeInstanceOf(DatabaseRefused)
  expect(untrusted).toMatchObject({ isUntrusted: true, message: expect.stringContaining('self-signed') })
  const noFile = { sslmode: 'verify-full', sslrootcert: '/nowhere/root.pem' }
  expect(await refused(withParameters(at(port), noFile))).toMatchObject({
    ...{ name: untrusted instanceof Error && untrusted.name, isUntrusted: false },
    message: expect.stringContaining('/nowhere/root.pem'),
  })
})

test('a pooler that does not pass on what a session asks for is reported at once', async () => {
  const port = await listen((socket) => {
    socket.on('error', () => {})
    socket.once('data', (startup) => {
      expect(startup.toString()).toContain('statement_timeout')
      socket.end(refusal('08P01', 'unsupported startup parameter: statement_timeout'))
    })
  })
  expect(await refused(at(port))).toMatchObject({ sqlState: '08P01' })
})

test('a pooler that ignores what a session asks for is reported at once', async () => {
  const pooler = await startPooler(scratch.url)
  try {
    const error = await refused(pooler.url)
    expect(error).toBeInstanceOf(DatabaseUnsuitable)
    expect(String(error)).toMatch(/settings of the session do not arrive.*connect to PostgreSQL itself/)
  } finally {
    await pooler.close()
  }
})

test('so is a proxy that refuses options, and a server that is too old need not know them', async () => {
  const startups: string[] = []
  const text = 'Feature not supported: command-line options'
  const port = await listen((socket) => {
    socket.on('error', () => {})
    socket.once('data', (startup) => {
      startups.push(startup.toString())
      socket.end(refusal('0A000', text))
    })
  })
  const error = await refused(at(port))
  expect(error).toBeInstanceOf(DatabaseRefused)
  expect(error).toMatchObject({ message: text, sqlState: '0A000' })
  expect(startups).toEqual([expect.stringContaining('-c lock_timeout=0')])
  expect(startups.join()).not.toContain('idle_session_timeout')
})

test('a server whose certificate is not verified, or a pooler, may say that it is not ready', async () => {
  for (const [sqlState, text] of [
    ['57P03', 'the database system is starting up'],
    ['08P01', 'server login has been failing, cannot connect to server'],
  ] as const) {
    const answer = (socket: Socket) => socket.once('data', () => socket.end(refusal(sqlState, text)))
    const port = await listen(encrypted(answer))
    const url = withParameters(at(port), { sslmode: 'no-verify' })
    await expect(awaitDatabase({ url, waitMs: 100 })).rejects.toThrow(DatabaseUnreachable)
  }
  const password = await listen(
    encrypted((socket) => socket.once('data', () => socket.end(refusal('28P01', 'no')))),
  )
  expect(await refused(withParameters(at(password), { sslmode: 'no-verify' }))).toMatchObject({
    ...{ sqlState: '28P01', isUntrusted: false },
  })
})

test('a wait ends when aborted', async () => {
  const stop = new AbortController()
  const waiting = awaitDatabase({
    url: at(await freePort()),
    waitMs: 60_000,
    signal: stop.signal,
    onWaiting: () => stop.abort(),
  })
  await expect(waiting).rejects.toThrow(DatabaseUnreachable)
})
