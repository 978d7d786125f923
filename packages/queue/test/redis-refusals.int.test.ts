import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import {
  EXPIRED_CERTIFICATE,
  hasRedisServer,
  OWN_CERTIFICATE,
  type RedisServer,
  startRedis,
} from '@shardwalk/testkit'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { QueueStoreRefused } from '../src/errors.ts'
import { type Job, JobQueue, type QueueEvent } from '../src/index.ts'
import { reachRedis } from '../src/reach-redis.ts'

const HAS_REDIS = hasRedisServer() || Boolean(process.env['CI'])
const NETWORK = Buffer.alloc(32, 1)
const PREFIX = '{shardwalk}'

const open = (redisUrl: string, onEvent: (event: QueueEvent) => void = () => {}) =>
  JobQueue.open({ store: { redisUrl }, network: NETWORK, onEvent })

const refusal = async (url: string) => {
  const onWaiting = () => expect.unreachable('waits for what will not change')
  const error = await reachRedis({ url, prefix: PREFIX, waitMs: 60_000, onWaiting }).catch((one) => one)
  expect(error).toBeInstanceOf(QueueStoreRefused)
  return String(error)
}

const unreachable = (url: string) =>
  reachRedis({ url, prefix: PREFIX, waitMs: 0, onWaiting: () => {} }).catch((error) => String(error))

const withUser = (url: string, user: string, password: string) =>
  url.replace('redis://', `redis://${user}:${password}@`)

describe.skipIf(!HAS_REDIS)('a Redis that cannot keep jobs', () => {
  let server: RedisServer
  let admin: Redis

  beforeAll(async () => {
    server = await startRedis(['--maxmemory', '100mb'])
    admin = new Redis(server.url)
    await admin.call('acl', 'setuser', 'all', 'on', '>right', '~{shardwalk}*', '~shardwalk:*', '&*', '+@all')
    await admin.call('acl', 'setuser', 'others', 'on', '>right', '~others:*', '&*', '+@all')
  })
  afterAll(async () => {
    admin.disconnect()
    await server.close()
  })

  test('a wrong password is reported at once, with the setting and without the password', async () => {
    const error = await refusal(withUser(server.url, 'all', 'topsecret'))
    expect(error).toMatch(/REDIS_URL: 127\.0\.0\.1:\d+ cannot be used: WRONGPASS .*Correct user and password/)
    expect(error).not.toContain('topsecret')
    await expect(open(withUser(server.url, 'all', 'wrong'))).rejects.toThrow(/REDIS_URL.*WRONGPASS/)
  })

  test('a user may be restricted to the keys that are used, and not to others', async () => {
    const queue = await open(withUser(server.url, 'all', 'right'))
    await queue.add([{ name: 'index_head', from: 7, to: 7 }])
    expect(await queue.outstanding('head')).toHaveLength(1)
    await queue.clear()
    await queue.close()
    expect(await refusal(withUser(server.url, 'others', 'right'))).toMatch(/NOPERM.*\{shardwalk\}\*/)
  })

  test('a user or a server that lacks a command is refused', async () => {
    for (const command of ['zadd', 'evalsha', 'bzpopmin', 'xadd', 'info']) {
      await admin.call('acl', 'setuser', 'less', 'reset', 'on', '>right', '~*', '&*', '+@all', `-${command}`)
      expect(await refusal(withUser(server.url, 'less', 'right'))).toMatch(/Allow the user all commands/)
    }
    for (const command of ['HSET', 'EVAL', 'INFO']) {
      const renamed = await startRedis(['--rename-command', command, 'other'])
      try {
        expect(await refusal(renamed.url)).toMatch(/do not rename or disable any/)
      } finally {
        await renamed.close()
      }
    }
  })

  test('a database that is not there is not replaced by the first one', async () => {
    expect(await refusal(`${server.url}/99`)).toMatch(/DB index is out of range. The path of the URL/)
  })

  test('one that removes jobs when it is full is refused, with what to set', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    try {
      expect(await refusal(server.url)).toMatch(/allkeys-lru\)\. Set maxmemory-policy noeviction, or leave/)
      await admin.config('SET', 'maxmemory', '0')
      await reachRedis({ url: server.url, prefix: PREFIX, waitMs: 0, onWaiting: () => {} })
    } finally {
      await admin.config('SET', 'maxmemory-policy', 'noeviction')
    }
  })

  test('a worker asks one that refuses to give jobs twice a second, not all the time', async () => {
    const events: QueueEvent[] = []
    const queue = await open(server.url, (event) => events.push(event))
    const done: Job[] = []
    const worker = queue.work({ lane: 'head', concurrency: 1, handle: async (job) => void done.push(job) })
    await admin.replicaof('127.0.0.1', '1')
    await expect.poll(() => events.length, { timeout: 30_000 }).toBeGreaterThan(2)
    const [from, before] = [performance.now(), events.length]
    await expect.poll(() => events.length, { timeout: 30_000 }).toBeGreaterThan(before + 2)
    // Five a second: workers and the search for stalled jobs.
    expect(events.length - before).toBeLessThan(5 + (5 * (performance.now() - from)) / 1000)
    expect(await unreachable(server.url)).toMatch(/READONLY .*replica\. Name the primary\./)
    await admin.replicaof('NO', 'ONE')
    await queue.add([{ name: 'index_head', from: 7, to: 7 }])
    await expect.poll(() => done, { timeout: 30_000 }).toHaveLength(1)
    await worker.close(5_000)
    await queue.close()
  })

  test('Cluster and Sentinel are refused', async () => {
    const cluster = await startRedis(['--cluster-enabled', 'yes'])
    try {
      expect(await refusal(cluster.url)).toMatch(/CLUSTERDOWN.*Sentinel and Cluster are not supported/)
    } finally {
      await cluster.close()
    }
    const folder = await mkdtemp(join(tmpdir(), 'shardwalk-sentinel-'))
    await writeFile(join(folder, 'sentinel.conf'), '')
    const sentinel = await startRedis([join(folder, 'sentinel.conf'), '--sentinel'])
    try {
      expect(await refusal(sentinel.url)).toMatch(/a Sentinel\. .*Sentinel and Cluster are not supported/)
    } finally {
      await sentinel.close()
      await rm(folder, { recursive: true })
    }
  })
})

test('a command that Redis 6 does not have is refused, too', async () => {
  const unknown = 'Unknown Redis command called from Lua script'
  const answers = (request: string): string => {
    if (/^\$4\r\ninfo/i.test(request)) return '$21\r\nredis_mode:standalone\r\n'
    if (!/^\$4\r\neval/i.test(request)) return '+OK\r\n'
    return `-ERR Error running script (call to f_8a1d): @user_script:7: @user_script: 7: ${unknown}\r\n`
  }
  const server = createPlainServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const requests = String(data).split(/(?:^|\r\n)\*\d+\r\n/)
      for (const request of requests.slice(1)) socket.write(answers(request))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  try {
    expect(await refusal(`redis://127.0.0.1:${port}`)).toMatch(/Unknown Redis command.*do not rename/)
  } finally {
    server.close()
  }
})

test('a certificate that is not trusted is refused, and how to trust it said', async () => {
  const server = createServer(OWN_CERTIFICATE).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  try {
    expect(await refusal(`rediss://127.0.0.1:${port}`)).toMatch(/self-signed.*NODE_EXTRA_CA_CERTS/)
    expect(await unreachable(`redis://127.0.0.1:${port}`)).toMatch(/REDIS_URL.*use rediss:/)
  } finally {
    server.close()
  }
})

test('for a certificate that has expired, none is asked to be trusted', async () => {
  const server = createServer(EXPIRED_CERTIFICATE).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  try {
    const error = await refusal(`rediss://127.0.0.1:${port}`)
    expect(error).toMatch(/certificate has expired\. Renew the certificate, or set the clock/)
    expect(error).not.toContain('NODE_EXTRA_CA_CERTS')
  } finally {
    server.close()
  }
})

test('a server that is not there is named', async () => {
  const server = createPlainServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  expect(await unreachable(`redis://127.0.0.1:${port}`)).toMatch(
    new RegExp(`QueueStoreUnreachable: REDIS_URL: 127.0.0.1:${port} cannot be used: connect ECONNREFUSED`),
  )
})
