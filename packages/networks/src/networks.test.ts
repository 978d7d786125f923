import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseServerList } from '@shardwalk/liteserver'
import { ZEROSTATE_ROOT_HASH } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { afterAll, expect, test } from 'vitest'
import { findConfig } from './find-config.ts'
import {
  chooseNetwork,
  configPathOf,
  keepServersFresh,
  type LiveNetwork,
  NetworkUnreachable,
  resolveNetwork,
} from './index.ts'

const CONFIG = JSON.stringify({ liteservers: [{ ip: 1, port: 2, id: { key: 'A'.repeat(43) } }] })
const all = mkdtempSync(join(tmpdir(), 'shardwalk-network-'))
afterAll(() => rmSync(all, { recursive: true }))
const folder = () => mkdtempSync(join(all, 'one-'))
const fail = async () => {
  throw new Error('getaddrinfo ENOTFOUND')
}

test('a network is a known name, URL, file or folder; different networks never share a database', () => {
  const dir = folder()
  const [recorded, packages, empty] = [folder(), folder(), folder()]
  writeFileSync(join(dir, 'global.config.json'), CONFIG)
  writeFileSync(join(recorded, 'index.json.gz'), '')
  writeFileSync(join(recorded, 'blocks.000.pack.gz'), '')
  mkdirSync(join(packages, 'arch0000'))
  writeFileSync(join(packages, 'arch0000', 'archive.00000.pack'), '')
  const names = [
    'mainnet',
    'testnet',
    'sample',
    'https://a.example/x.json',
    'https://b.example/x.json',
    recorded,
    packages,
    join(dir, 'global.config.json'),
  ]
  const choices = names.map(chooseNetwork)
  expect(choices.map(({ kind }) => kind)).toEqual([
    'url',
    'url',
    'recording',
    'url',
    'url',
    'recording',
    'archive',
    'file',
  ])
  expect(new Set(choices.map(({ slug }) => slug)).size).toBe(names.length)
  for (const { slug } of choices) expect(slug).toMatch(/^[a-z0-9_]+$/)
  expect(() => chooseNetwork(empty)).toThrow(/neither a recorded chain/)
  expect(() => chooseNetwork('maintnet')).toThrow(/not mainnet, testnet or sample/)
})

const MAINNET = chooseNetwork('mainnet') as LiveNetwork
const OTHER = chooseNetwork('https://a.example/x.json') as LiveNetwork

test('the published config wins, then the cached one, each with the reason', async () => {
  const dataDir = folder()
  const published = await findConfig(MAINNET, { dataDir, fetchText: async () => CONFIG })
  expect([published.origin, published.warning]).toEqual(['published', undefined])
  const cached = await findConfig(MAINNET, { dataDir, freshMs: 0, fetchText: fail })
  expect(cached.origin).toBe('cached')
  expect(cached.warning).toMatch(/ENOTFOUND.*last start is used/)
  expect(cached.config).toEqual(published.config)
  const renewed = await findConfig(MAINNET, { dataDir, freshMs: 0, fetchText: async () => CONFIG })
  expect(renewed.origin).toBe('published')
})

test('a server of the config that cannot be read keeps out no other one, a warning names it', async () => {
  const { liteservers, ...others } = JSON.parse(CONFIG)
  const text = JSON.stringify({ ...others, liteservers: [...liteservers, { ip: 1, port: 0 }] })
  const { config, origin, warning } = await findConfig(OTHER, {
    dataDir: folder(),
    fetchText: async () => text,
  })
  expect([origin, config.liteServers.length]).toEqual(['published', liteservers.length])
  expect(warning).toMatch(/left out: .*liteservers\[\d+\]\.port: a port expected/)
})

test('a recently downloaded config is not downloaded again', async () => {
  const dataDir = folder()
  await findConfig(OTHER, { dataDir, fetchText: async () => CONFIG })
  expect(await findConfig(OTHER, { dataDir, fetchText: fail })).toMatchObject({ origin: 'cached' })
})

test('a read-only cache does no harm, and a damaged one is not used', async () => {
  const file = join(folder(), 'a file')
  writeFileSync(file, '')
  expect((await findConfig(OTHER, { dataDir: file, fetchText: async () => CONFIG })).origin).toBe('published')
  const dataDir = folder()
  mkdirSync(join(dataDir, 'networks'))
  writeFileSync(configPathOf(MAINNET.slug, dataDir), '{"liteserv')
  expect((await findConfig(MAINNET, { dataDir, fetchText: fail })).origin).toBe('bundled')
})

test.each(Object.entries(ZEROSTATE_ROOT_HASH))(
  '%s has a bundled config, with the zero state of the network',
  async (name, rootHash) => {
    const choice = chooseNetwork(name) as LiveNetwork
    const { config, origin, warning } = await findConfig(choice, { dataDir: folder(), fetchText: fail })
    expect(origin).toBe('bundled')
    expect(warning).toMatch(/ENOTFOUND.*bundled config of 202\d-\d\d-\d\d is used/)
    expect(config.zeroState?.rootHash.toString('base64')).toBe(rootHash)
    expect(config.liteServers.length).toBeGreaterThan(5)
  },
)

test('without any config the error has the cause and suggests the sample, and may be retried', async () => {
  const failed = findConfig(OTHER, { dataDir: folder(), fetchText: fail })
  await expect(failed).rejects.toBeInstanceOf(NetworkUnreachable)
  await expect(failed).rejects.toThrow(
    /Cannot reach the network x_json_\w+: .*ENOTFOUND[\s\S]*npm start -- --network sample/,
  )
  await expect(failed).rejects.toMatchObject({ retry: 'later' })
})

test('a network with its own servers needs no config', async () => {
  const own = parseServerList(`127.0.0.1:9:${'A'.repeat(43)}`)
  const resolved = await resolveNetwork(OTHER, { own, dataDir: folder(), fetchText: fail })
  expect(resolved).toMatchObject({ servers: own, config: { hardForks: [] } })
  const known = await resolveNetwork(MAINNET, { own, dataDir: folder(), fetchText: fail })
  expect([known.servers, known.config.zeroState?.seqno]).toEqual([own, 0])
})

test('a config without lite servers is enough where there are others, or none is needed', async () => {
  const hash = Buffer.alloc(32).toString('base64')
  const zeroState = {
    workchain: -1,
    shard: '-9223372036854775808',
    seqno: 0,
    root_hash: hash,
    file_hash: hash,
  }
  const text = JSON.stringify({ liteservers: [], validator: { zero_state: zeroState } })
  const options = { dataDir: folder(), fetchText: async () => text }
  const own = parseServerList(`127.0.0.1:9:${'A'.repeat(43)}`)
  const resolved = await resolveNetwork(OTHER, { own, ...options })
  expect([resolved.servers, resolved.config.zeroState?.seqno]).toEqual([own, 0])
  const without = await resolveNetwork(OTHER, { own: undefined, needsServers: false, ...options })
  expect([without.servers, without.config.zeroState?.seqno]).toEqual([[], 0])
  await expect(resolveNetwork(OTHER, { own: undefined, ...options })).rejects.toThrow(/no liteservers/)
})

test('an answer that is not a global config is rejected', async () => {
  for (const text of ['<html>', '{}', '{"liteservers":[]}'])
    await expect(findConfig(OTHER, { dataDir: folder(), fetchText: async () => text })).rejects.toThrow(
      /could not be read/,
    )
})

test('the list of servers is read again when none answers', async () => {
  const stop = new AbortController()
  const replaced = await new Promise((resolve) => {
    void keepServersFresh({
      choice: OTHER,
      dataDir: folder(),
      fetchText: async () => CONFIG,
      pool: {
        readyServers: () => [],
        replaceServers: (servers) => {
          resolve(servers.map(({ name }) => name))
          return { added: servers.length, removed: 0 }
        },
      },
      own: undefined,
      log: silentLogger,
      signal: stop.signal,
      checkEveryMs: 1,
    })
  })
  stop.abort()
  expect(replaced).toEqual(['0.0.0.1:2'])
})
