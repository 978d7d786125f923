import { FULL_SHARD } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { BadNetworkConfig, parseGlobalConfig, parseServerList, trustedBlocks } from './network-config.ts'

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64')
const block = (seqno: number, shard = '-9223372036854775808') =>
  `{"workchain":-1,"shard":${shard},"seqno":${seqno},"root_hash":"${key(1)}","file_hash":"${key(2)}"}`
const server = (ip: string | number, port: number, extra = '') =>
  `{"ip":${JSON.stringify(ip)},"port":${port},` +
  `"id":{"@type":"pub.ed25519","key":"${key(port & 255)}"}${extra}}`

const config = (parts: { servers?: string; v2?: string; validator?: string }) =>
  `{"@type":"config.global","liteservers":[${parts.servers ?? ''}],` +
  `"liteservers_v2":[${parts.v2 ?? ''}],"validator":{${parts.validator ?? ''}}}`

const SLICES = ',"slices":[{"@type":"liteserver.descV2.sliceSimple","shards":[]}]'

test('a global config gives servers, anchors and hard forks', () => {
  const parsed = parseGlobalConfig(
    config({
      servers: `${server(-705704148, 4924)},${server(1137658550, 65535)}`,
      v2: `${server(-705704148, 4924, SLICES)},${server(0, 77, ',"hostname":"ls.example.org"')}`,
      validator: `"zero_state":${block(0)},"init_block":${block(34835953)},"hardforks":[${block(8536841)}]`,
    }),
  )
  expect(parsed.liteServers.map((s) => s.name)).toEqual([
    '213.239.207.44:4924',
    '67.207.74.182:65535',
    'ls.example.org:77',
  ])
  expect(parsed.liteServers[0]!.publicKey).toEqual(Buffer.alloc(32, 4924 & 255))
  const expected = {
    workchain: -1,
    shard: FULL_SHARD,
    rootHash: Buffer.alloc(32, 1),
    fileHash: Buffer.alloc(32, 2),
  }
  expect(parsed.zeroState).toEqual({ ...expected, seqno: 0 })
  expect(parsed.initBlock).toEqual({ ...expected, seqno: 34835953 })
  expect(parsed.hardForks).toEqual([{ ...expected, seqno: 8536841 }])
})

test('a config without anchors has none, and a shard may be a string', () => {
  expect(parseGlobalConfig(config({}))).toEqual({ liteServers: [], hardForks: [] })
  const text = parseGlobalConfig(config({ validator: `"init_block":${block(5, '"-9223372036854775808"')}` }))
  expect(text.initBlock?.shard).toBe(FULL_SHARD)
})

test.each([
  ['not JSON', 'nothing', /whole text/],
  ['an address that does not fit', config({ servers: server(2 ** 33, 1) }), /liteservers\[0\]\.ip/],
  ['a bad port', config({ servers: server(1, 70000) }), /liteservers\[0\]\.port/],
  ['a short key', config({ servers: '{"ip":1,"port":1,"id":{"key":"AAAA"}}' }), /liteservers\[0\]\.id\.key/],
  ['a list that is not one', '{"liteservers":{}}', /liteservers: a list expected/],
  [
    'a shard that is not the whole masterchain',
    config({ validator: `"init_block":${block(5, '4611686018427387904')}` }),
    /init_block/,
  ],
])('%s is refused with its path', (_, text, place) => {
  expect(() => parseGlobalConfig(text)).toThrow(BadNetworkConfig)
  expect(() => parseGlobalConfig(text)).toThrow(place)
})

test('a server that cannot be read is left out, and the others are used', () => {
  const { liteServers, leftOut } = parseGlobalConfig(
    config({
      servers: `${server(1, 0)},${server(16909060, 4924)},{"ip":1,"port":1,"id":{"@type":"pub.other"}}`,
    }),
  )
  expect(liteServers.map(({ name }) => name)).toEqual(['1.2.3.4:4924'])
  expect(leftOut).toEqual([
    expect.stringContaining('liteservers[0].port: a port expected'),
    expect.stringContaining('liteservers[2].id.key: 32 bytes in base64 expected'),
  ])
})

test('the short form is read, including IPv6 and spaces', () => {
  const servers = parseServerList(`1.2.3.4:100:${key(1)}, [::1]:200:${key(2)},ls.example.org:300:${key(3)},`)
  expect(servers.map(({ name, host, port }) => [name, host, port])).toEqual([
    ['1.2.3.4:100', '1.2.3.4', 100],
    ['[::1]:200', '::1', 200],
    ['ls.example.org:300', 'ls.example.org', 300],
  ])
  expect(parseServerList('')).toEqual([])
  for (const bad of ['1.2.3.4:100', `1.2.3.4:0:${key(1)}`, '1.2.3.4:100:AAAA', `:1:${key(1)}`])
    expect(() => parseServerList(bad), bad).toThrow(BadNetworkConfig)
})

test('the newest trusted block is the init block or a hard fork behind it, else the zerostate', () => {
  const trusted = (validator: string) =>
    trustedBlocks(parseGlobalConfig(config({ validator }))).map(({ seqno }) => seqno)
  const zero = `"zero_state":${block(0)}`
  expect(trusted(`${zero},"init_block":${block(9)},"hardforks":[${block(5)}]`)).toEqual([0, 5, 9])
  expect(trusted(`${zero},"init_block":${block(9)},"hardforks":[${block(70)},${block(5)}]`)).toEqual([
    0, 5, 9, 70,
  ])
  expect(trusted(`${zero},"hardforks":[${block(5)}]`)).toEqual([0, 5])
  expect([trusted(zero), trusted('')]).toEqual([[0], []])
})
