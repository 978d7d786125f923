import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { expect, expectTypeOf, test } from 'vitest'
import { DEFINITION, definitions } from './definition.ts'
import {
  maskedSettings,
  readSettings,
  SettingsError,
  settingsExample,
  settingsPage,
  settingText,
  toEnvironment,
} from './index.ts'
import type { StartPoint } from './kinds.ts'

const problemsOf = (input: Parameters<typeof readSettings>[0]): readonly string[] => {
  try {
    readSettings(input)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}

test('flags take precedence over the environment, then .env, then defaults', () => {
  const dotenv = { NETWORK: 'from-dotenv', API_PORT: '1', LOG_LEVEL: 'warn' }
  const env = { NETWORK: 'from-env', API_PORT: '2' }
  const { settings } = readSettings({ flags: new Map([['network', 'from-flag']]), env, dotenv })
  expect(settings).toMatchObject({ network: 'from-flag', apiPort: 2, logLevel: 'warn', apiHost: '127.0.0.1' })
})

test('values are typed, and a setting with a default is never undefined', () => {
  const { settings } = readSettings({})
  expectTypeOf(settings.apiPort).toEqualTypeOf<number>()
  expectTypeOf(settings.databaseUrl).toEqualTypeOf<string | undefined>()
  expectTypeOf(settings.indexFrom).toEqualTypeOf<StartPoint | undefined>()
  expect(Object.isFrozen(settings)).toBe(true)
})

test('all problems are reported at once and each has the name of its setting', () => {
  const problems = problemsOf({
    flags: new Map([['api-port', '99999']]),
    env: { BACKFILL: 'sideways', REDIS_URL: 'http://x', LITESERVERS: '1.2.3.4:99:short', INDEX_FROM: '0' },
  })
  for (const name of ['--api-port', 'BACKFILL', 'REDIS_URL', 'LITESERVERS', 'INDEX_FROM'])
    expect(problems.filter((problem) => problem.startsWith(`${name}: `))).toHaveLength(1)
  expect(problems).toHaveLength(5)
})

/** Of which only a use shows whether they are right. */
const FREE = [
  ...['NETWORK', 'DATA_DIR', 'API_HOST', 'MARKETPLACE_NAMES', 'METADATA_OVERRIDES'],
  'PENDING_PUSH_SECRET',
]

test.each(definitions().map(([, one]) => [one.name, one.secret === true] as const))(
  'a wrong %s is refused by its name, and not repeated if it is secret',
  (name, isSecret) => {
    const [problem, ...others] = problemsOf({ env: { [name]: '☃ 1' } })
    expect(others).toEqual([])
    if (FREE.includes(name)) return expect(problem).toBeUndefined()
    expect(problem?.startsWith(`${name}: `)).toBe(true)
    if (isSecret) expect(problem).not.toContain('☃')
  },
)

test('a secret is read from a file and never shown', () => {
  const { settings } = readSettings({
    env: { DATABASE_URL_FILE: '/secrets/db', REDIS_URL: 'redis://:topsecret@r:1' },
    readSecretFile: (path) =>
      path === '/secrets/db' ? 'postgres://a:topsecret@b/c?password=topsecret\n' : '',
  })
  expect(settings.databaseUrl).toBe('postgres://a:topsecret@b/c?password=topsecret')
  expect(JSON.stringify(maskedSettings(settings))).not.toContain('topsecret')
  const { settings: roles } = readSettings({ env: { DATABASE_WRITER_PASSWORD: 'db://topsecret' } })
  expect(maskedSettings(roles)).toMatchObject({ DATABASE_WRITER_PASSWORD: '***' })
  expect(problemsOf({ env: { DATABASE_URL: 'topsecret' } }).join()).not.toContain('topsecret')
})

test('a file with an empty secret is refused: every client that sends none would know it', () => {
  for (const [name, { secret }] of definitions().map(([, setting]) => [setting.name, setting] as const))
    if (secret)
      expect(problemsOf({ env: { [`${name}_FILE`]: '/secrets/one' }, readSecretFile: () => ' \n' })).toEqual([
        `${name}_FILE: cannot read /secrets/one: it is empty`,
      ])
})

test('a child process reads the same settings from its environment', () => {
  const key = 'peJTw/arlRfssgTuf9BMypJzqOi7SXEqSPSWiEw2U1M='
  const { settings } = readSettings({
    flags: new Map([
      ['from', '17'],
      ['liteservers', `1.2.3.4:5:${key},host:6:${key}`],
      ['metadata-fetch', 'off'],
    ]),
    env: { TRUSTED_PROXIES: '10.0.0.0/8, ::1' },
  })
  expect(readSettings({ env: toEnvironment(settings) }).settings).toEqual(settings)
})

test('what to watch is read in any form of address, and wrong items are named', () => {
  const raw = `0:${'5a'.repeat(32)}`
  const friendly = 'EQCR1RyOD0VBfo-k2EHA52Wttnf-SypgMUPjLd0Lw_fvMn-Q'
  const hash = Buffer.alloc(32, 7)
  const env = {
    WATCH: `${raw} jetton:${friendly},code:${hash.toString('hex')},code:${hash.toString('base64')}`,
  }
  const { settings } = readSettings({ env })
  expect(settings.watch!.items).toEqual([
    { kind: 'address', address: { workchain: 0, hash: Buffer.alloc(32, 0x5a) } },
    { kind: 'jetton', address: expect.objectContaining({ workchain: 0 }) },
    { kind: 'code', hash },
    { kind: 'code', hash },
  ])
  expect(readSettings({ env: toEnvironment(settings) }).settings).toEqual(settings)
  // A wrong checksum, a short hash, no address at all.
  for (const wrong of [friendly.replace('R1', 'R2'), 'code:ab', 'jetton:', 'code', ' , '])
    expect(problemsOf({ env: { WATCH: `${raw},${wrong}` } })).toHaveLength(wrong === ' , ' ? 0 : 1)
  expect(problemsOf({ env: { WATCH: `${raw},code:ab` } })[0]).toContain('got "code:ab"')
})

test('networks, gateways and image keys are validated, and a key alone is refused', () => {
  const env = {
    METADATA_DENIED_NETWORKS: '10.0.0.0/33',
    METADATA_IPFS_GATEWAYS: 'https://a.example/ipfs/,ftp://b',
    METADATA_CONCURRENCY: '0',
    IMAGE_PROXY_KEY: 'abc',
  }
  const problems = problemsOf({ env })
  for (const name of Object.keys(env))
    expect(problems.filter((one) => one.startsWith(`${name}: `))).toHaveLength(1)
  expect(problemsOf({ env: { METADATA_DENIED_NETWORKS: '1.2.3/8' } })).toHaveLength(1)
  expect(problemsOf({ env: { IMAGE_PROXY_KEY: 'abcd', IMAGE_PROXY_SALT: '00' } })).toEqual([
    expect.stringContaining('IMAGE_PROXY_URL: not given'),
  ])
  const proxy = { IMAGE_PROXY_URL: 'https://i.example', IMAGE_PROXY_KEY: 'c0ffee', IMAGE_PROXY_SALT: '00' }
  const { settings } = readSettings({
    env: { ...proxy, METADATA_DENIED_NETWORKS: '1.2.3.0/24, 2001:db8::/32, ::1' },
  })
  expect(settings.metadataDeniedNetworks).toEqual(['1.2.3.0/24', '2001:db8::/32', '::1'])
  expect(JSON.stringify(maskedSettings(settings))).not.toContain('c0ffee')
  expect(readSettings({ env: toEnvironment(settings) }).settings).toEqual(settings)
})

test('a URL with a password that is not escaped is refused with what to write, and not repeated', () => {
  const wrong = 'postgres://me:top#secret@db:5432/chain'
  const env = { DATABASE_URL: wrong, DATABASE_READ_URL: `postgres://me@one/chain,${wrong}` }
  const problems = problemsOf({ env })
  expect(problems).toEqual([
    expect.stringMatching(/^DATABASE_URL: not a valid URL; .* # as %23/),
    expect.stringMatching(/^DATABASE_READ_URL: not a valid URL; .* # as %23/),
  ])
  expect(problems.join()).not.toMatch(/top|secret/)
  expect(problemsOf({ env: { DATABASE_URL: 'mysql://db/chain' } })).toEqual([
    expect.stringContaining('expected a URL starting with `postgres://`'),
  ])
})

test('a port that there cannot be is named, not a password of digits that is not escaped', () => {
  const ports = ['postgres://me:secret@db:65536/chain', 'postgresql://[::1]:99999', 'postgres://db:70000?a=b']
  for (const wrong of ports)
    expect(problemsOf({ env: { DATABASE_URL: wrong, DATABASE_READ_URL: wrong } })).toEqual([
      'DATABASE_URL: the port is not a number from 1 to 65535',
      'DATABASE_READ_URL: the port is not a number from 1 to 65535',
    ])
  expect(problemsOf({ env: { REDIS_URL: 'redis://cache:66000/1' } })).toEqual([
    'REDIS_URL: the port is not a number from 1 to 65535',
  ])
  for (const wrong of ['postgres://me:99999/9@db/chain', 'postgres://me:99999#9@db', 'postgres://me:p/q@db'])
    expect(problemsOf({ env: { DATABASE_URL: wrong } })[0]).toContain('# as %23')
})

test('a database of Redis is a number, without which its client ends the process', () => {
  for (const right of ['', '/', '/15', '/0?family=6', '?db=15', ' '])
    expect(problemsOf({ env: { REDIS_URL: `redis://:secret@cache:6379${right}` } })).toEqual([])
  for (const wrong of ['/queue', '/5x', '//5', '/5/', '/-1', '/1.5', '?db=queue', '/5?db=-1', '/9999999999'])
    expect(problemsOf({ env: { REDIS_URL: `rediss://:secret@cache:6379${wrong}` } })).toEqual([
      'REDIS_URL: the path of the URL is the number of a database, such as /0',
    ])
})

test('proxies that Express cannot trust are named', () => {
  for (const wrong of ['300.1.1.1', 'caddy', 'true', '10.0.0.0/33', '0.0.0.0/0', '::/0'])
    expect(problemsOf({ env: { TRUSTED_PROXIES: `127.0.0.1, ${wrong}` } })).toEqual([
      expect.stringMatching(`^TRUSTED_PROXIES: .*got "${wrong}"`),
    ])
  const { settings } = readSettings({ env: { TRUSTED_PROXIES: '::1,fd00::/8,172.16.0.0/12,loopback' } })
  expect(settings.trustedProxies).toEqual(['::1', 'fd00::/8', '172.16.0.0/12', 'loopback'])
})

test('every example and every default is accepted, and the example file changes nothing', () => {
  for (const [, setting] of definitions()) {
    for (const text of [setting.example, setting.default ?? setting.example])
      expect(setting.kind.parse(text), `${setting.name}=${text}`).toHaveProperty('value')
  }
  expect(readSettings({ dotenv: parseEnv(settingsExample()) as Record<string, string> })).toEqual(
    readSettings({}),
  )
})

test('the text of a setting has its name, what it accepts and its default', () => {
  expect(settingText(DEFINITION.apiPort)).toMatch(/\(API_PORT: .*; default: 8081\)$/)
  for (const [, setting] of definitions()) expect(settingText(setting)).not.toMatch(/undefined|`/)
})

test('the committed page and example match the definition', () => {
  const root = new URL('../../../', import.meta.url)
  expect(readFileSync(new URL('docs/configuration.md', root), 'utf8')).toBe(settingsPage())
  expect(readFileSync(new URL('.env.example', root), 'utf8')).toBe(settingsExample())
})
