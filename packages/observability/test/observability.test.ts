import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import { IndexerError } from '@shardwalk/model'
import { expect, test, vi } from 'vitest'
import {
  createHealth,
  createLogger,
  createMetrics,
  createShutdown,
  EXIT,
  endOnFailure,
  maskText,
  noMetrics,
  serveProcessStatus,
  silentLogger,
} from '../src/index.ts'
import type { LoggerOptions } from '../src/logger.ts'
import type { SignalSource } from '../src/shutdown.ts'
import { serveStatus } from '../src/status-server.ts'

function logTo(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const output = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk).trimEnd())
      done()
    },
  })
  return { log: createLogger({ output, ...options }), lines }
}

test('without a terminal, an entry is one JSON object with message and fields', () => {
  const { log, lines } = logTo({ fields: { process: 'ingest' } })
  log
    .child({ step: 'commit' })
    .info('batch committed', { mc_block_seqno: 42, lt: 5n, hash: Buffer.from('ab', 'hex') })
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'info',
    message: 'batch committed',
    process: 'ingest',
    step: 'commit',
    mc_block_seqno: 42,
    lt: '5',
    hash: 'ab',
  })
})

test('the pretty format is one line, and the level is respected', () => {
  const { log, lines } = logTo({ format: 'pretty', level: 'warn' })
  log.info('quiet')
  log.warn('server lost', { server: '1.2.3.4:5', problem: 'connection closed' })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('server lost server=1.2.3.4:5 problem="connection closed"')
})

test('secrets do not reach the log, wherever they occur', () => {
  const { log, lines } = logTo()
  const cause = new Error('connect postgres://index:hunter2@db/chain failed')
  log.error('request failed with api_key=hunter2&x=1', {
    api_key: 'hunter2',
    headers: { 'X-API-Key': 'hunter2', Authorization: 'Bearer hunter2', accept: 'json' },
    url: 'https://me:hunter2@example.org/a?token=hunter2&limit=5',
    nested: [{ token: 'hunter2' }, new Map([['password', 'hunter2']])],
    error: new Error('Authorization: Bearer hunter2', { cause }),
    redis: new URL('redis://:hunter2@localhost:6379'),
  })
  expect(lines[0]).not.toContain('hunter2')
  expect(lines[0]).toContain('limit=5')
  expect(lines[0]).toContain('"accept":"json"')
  expect(maskText('{"api_key":"hunter2"} token: hunter2')).not.toContain('hunter2')
  expect(maskText('x-api-key: hunter2 POST /api/pending/v1/message?secret=hunter2')).not.toContain('hunter2')
})

test.each([
  'PENDING_PUSH_SECRET',
  'DATABASE_WRITER_PASSWORD',
  'IMAGE_PROXY_KEY',
  'IMAGE_PROXY_SALT',
  'client_secret',
  'access_token',
  'pinataGatewayToken',
  'private_key',
])('the value of %s does not reach the log, in fields and in text', (name) => {
  const { log, lines } = logTo()
  const texts = ['=', ': ', '":"'].map((between) => `a ${name}${between}hunter2 b`)
  log.info('started', { [name]: 'hunter2', texts, url: `https://example.org/?x=1&${name}=hunter2&limit=5` })
  expect(lines[0]).not.toContain('hunter2')
  expect(lines[0]).toContain('limit=5')
})

test('names that only contain the words keep their values', () => {
  const text = 'PENDING_PUSH_SECRET_FILE=/run/file STREAMS_PER_KEY=5 tokens=7 public_key=ab'
  expect(maskText(text)).toBe(text)
})

test('of a long text the beginning is logged, and no part of a password that is cut in two', () => {
  const { log, lines } = logTo()
  log.warn('job failed', { error: new Error('a.'.repeat(20_000)), uri: 'b'.repeat(20_000) })
  expect(lines[0]!.length).toBeLessThan(17_000)
  expect(lines[0]).toContain('... of 40000 characters')
  for (const shown of [1, 10, 30])
    expect(maskText(`${' '.repeat(8_192 - shown)}postgres://index:hunter2@db`)).not.toMatch(/:[hunter2]+@/)
})

test('a cycle in the fields does not break logging', () => {
  const { log, lines } = logTo()
  const knot: Record<string, unknown> = {}
  knot['self'] = knot
  log.info('knot', { knot })
  expect(lines).toHaveLength(1)
})

test('metrics have the prefix, and the same name returns the same metric', async () => {
  const metrics = createMetrics()
  metrics.counter('blocks_total', 'Blocks', ['workchain']).inc({ workchain: '-1' }, 2)
  metrics.counter('blocks_total', 'Blocks', ['workchain']).inc({ workchain: '-1' })
  metrics.gauge('lag_seconds', 'Lag').set({}, 1.5)
  metrics.histogram('step_seconds', 'Steps', ['step']).observe({ step: 'commit' }, 0.1)
  const text = await metrics.text()
  expect(text).toContain('shardwalk_blocks_total{workchain="-1"} 3')
  expect(text).toContain('shardwalk_lag_seconds 1.5')
  expect(text).toContain('shardwalk_step_seconds_count{step="commit"} 1')
  noMetrics.histogram('anything', '').observe({}, 1)
})

test('checks are made again although the clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  try {
    const health = createHealth()
    const check = vi.fn(() => ({ ok: true }))
    health.check('database', check)
    const before = await health.report()
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(2_000)
    const after = await health.report()
    expect(check).toHaveBeenCalledTimes(2)
    expect(after.now).toBeLessThan(before.now)
  } finally {
    vi.useRealTimers()
  }
})

test('a failing, throwing or silent required check fails the report, an optional one does not', async () => {
  const health = createHealth({ timeoutMs: 20, cacheMs: 0 })
  health.check('redis', () => ({ ok: false, error: 'gone' }), { required: false })
  expect((await health.report()).ok).toBe(true)
  const forget = health.check('database', () => Promise.reject(new Error('refused')))
  health.check('slow', () => new Promise(() => {}))
  const report = await health.report()
  expect(report.ok).toBe(false)
  expect(report.components['database']).toMatchObject({ ok: false, error: 'refused', required: true })
  expect(report.components['slow']).toMatchObject({ ok: false, error: 'no answer within 20 ms' })
  forget()
  expect(Object.keys((await health.report()).components)).toEqual(['redis', 'slow'])
})

test('a report is created once per cache time', async () => {
  let now = 0
  const check = vi.fn(() => ({ ok: true }))
  const health = createHealth({ now: () => now, cacheMs: 1000 })
  health.check('database', check)
  await Promise.all([health.report(), health.report()])
  expect(check).toHaveBeenCalledTimes(1)
  now = 1000
  await health.report()
  expect(check).toHaveBeenCalledTimes(2)
})

test('a heartbeat distinguishes idle from stuck', async () => {
  let now = 0
  const health = createHealth({ now: () => now, cacheMs: 0 })
  const beat = health.heartbeat('ingest', { maxAgeMs: 10_000 })
  const isOk = async (at: number) => {
    now = at
    return (await health.report()).components['ingest']!.ok
  }
  expect(await isOk(60_000)).toBe(true)
  beat.seen(1)
  expect(await isOk(69_000)).toBe(true)
  beat.seen(2)
  // Seeing a newer item is not progress.
  expect(await isOk(70_001)).toBe(false)
  beat.processed(1)
  expect(await isOk(80_000)).toBe(true)
  expect(await isOk(80_002)).toBe(false)
  beat.processed(2)
  expect(await isOk(600_000)).toBe(true)
})

test('a heartbeat with an idle limit fails if nothing is seen', async () => {
  let now = 0
  const health = createHealth({ now: () => now, cacheMs: 0 })
  const beat = health.heartbeat('head', { maxAgeMs: 1000, maxIdleMs: 5000 })
  beat.seen(1)
  beat.processed(1)
  now = 5001
  expect((await health.report()).components['head']).toMatchObject({
    ok: false,
    error: expect.stringContaining('nothing seen'),
  })
})

test('closers run in reverse order, and a failing one does not stop the others', async () => {
  const exit = vi.fn()
  const closed: string[] = []
  const shutdown = createShutdown({ exit })
  shutdown.onShutdown('database', () => closed.push('database'))
  shutdown.onShutdown('pool', () => Promise.reject(new Error('stuck')))
  shutdown.onShutdown('http', async () => closed.push('http'))
  shutdown.onShutdown('forgotten', () => closed.push('forgotten'))()
  await Promise.all([shutdown.run(EXIT.tryAgain), shutdown.run(EXIT.fix)])
  expect(closed).toEqual(['http', 'database'])
  expect(shutdown.signal.aborted).toBe(true)
  expect(exit.mock.calls).toEqual([[75]])
})

test('the deadline ends a shutdown that hangs', async () => {
  const exit = vi.fn()
  const shutdown = createShutdown({ exit, deadlineMs: 10 })
  shutdown.onShutdown('hanging', () => new Promise(() => {}))
  await shutdown.run()
  expect(exit.mock.calls).toEqual([[75]])
})

test('the first signal starts shutdown, its repetitions are ignored, a later one exits at once', async () => {
  let now = 0
  const exit = vi.fn()
  const source = new EventEmitter()
  const shutdown = createShutdown({ exit, now: () => now })
  let release = () => {}
  shutdown.onShutdown('http', () => new Promise<void>((resolve) => (release = resolve)))
  const stopListening = shutdown.listen(source as SignalSource)
  source.emit('SIGTERM')
  expect(shutdown.signal.aborted).toBe(true)
  source.emit('SIGINT')
  source.emit('SIGTERM')
  expect(exit).not.toHaveBeenCalled()
  now = 1000
  source.emit('SIGINT')
  expect(exit.mock.calls).toEqual([[75]])
  release()
  await shutdown.run()
  expect(exit.mock.calls).toEqual([[75], [0]])
  stopListening()
  expect(source.listenerCount('SIGINT')).toBe(0)
})

test('a port of metrics that is in use, or an address of others, is named by its setting', async () => {
  const metrics = createMetrics()
  const options = { host: '127.0.0.1', metrics, readiness: () => ({ ok: true }) }
  const first = await serveStatus({ ...options, port: 0 })
  const { port } = first.address
  const process = { log: silentLogger, shutdown: createShutdown({ exit: () => {} }), setting: 'METRICS_PORT' }
  await expect(serveProcessStatus({ ...options, ...process, port })).rejects.toMatchObject({
    message: `port ${port} on 127.0.0.1 is in use by another program; set METRICS_PORT to another one`,
    retry: 'never',
  })
  // Of a network for documentation, which this machine is not in.
  const elsewhere = { ...options, ...process, host: '192.0.2.1', port: 0 }
  await expect(serveProcessStatus(elsewhere)).rejects.toThrow(/^API_HOST: .*EADDRNOTAVAIL/)
  first.close()
})

test('a process that cannot start ends with 1 if only a correction helps, else with 75', async () => {
  class Wrong extends IndexerError {
    readonly code = 'wrong'
    readonly retry = 'never'
  }
  const endOf = async (error: Error, isStopping = false) => {
    const exit = vi.fn()
    const shutdown = createShutdown({ exit })
    const { log, lines } = logTo()
    if (isStopping) void shutdown.run()
    await endOnFailure(error, { log, shutdown, message: 'not started' })
    return { codes: exit.mock.calls.flat(), lines: lines.length }
  }
  expect(await endOf(new Wrong('a setting'))).toEqual({ codes: [1], lines: 1 })
  expect(await endOf(new Error('away'))).toEqual({ codes: [75], lines: 1 })
  // What a signal interrupts did not fail.
  expect(await endOf(new Error('driver has been destroyed'), true)).toEqual({ codes: [0], lines: 0 })
})
