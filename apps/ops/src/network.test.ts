import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseNetwork, fetchConfig, NetworkUnreachable } from './network.ts'

const CONFIG = JSON.stringify({ liteservers: [{ ip: 1, port: 2, id: { key: 'A'.repeat(43) } }] })
const folder = () => mkdtempSync(join(tmpdir(), 'shardwalk-network-'))
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

test('the last stored config is used with a warning if it cannot be fetched', async () => {
  const dataDir = folder()
  const mainnet = chooseNetwork('mainnet') as Parameters<typeof fetchConfig>[0]
  const fetched = await fetchConfig(mainnet, dataDir, async () => CONFIG)
  expect(fetched.warning).toBeUndefined()
  const cached = await fetchConfig(mainnet, dataDir, fail)
  expect(cached.path).toBe(fetched.path)
  expect(cached.warning).toMatch(/ENOTFOUND.*last start is used/)
})

test('without a config the message has the cause and offers the sample, and the exit code is 75', async () => {
  const failed = fetchConfig(chooseNetwork('mainnet') as Parameters<typeof fetchConfig>[0], folder(), fail)
  await expect(failed).rejects.toBeInstanceOf(NetworkUnreachable)
  await expect(failed).rejects.toThrow(
    /Cannot reach the network mainnet.*ENOTFOUND[\s\S]*npm start -- --network sample/,
  )
  await expect(failed).rejects.toMatchObject({ exitCode: 75 })
})

test('an answer that is not a global config is rejected', async () => {
  const mainnet = chooseNetwork('mainnet') as Parameters<typeof fetchConfig>[0]
  for (const text of ['<html>', '{}', '{"liteservers":[]}'])
    await expect(fetchConfig(mainnet, folder(), async () => text)).rejects.toThrow(/could not be read/)
})
