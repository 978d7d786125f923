import { AdnlKey, publicKeyId } from '@shardwalk/adnl'
import { peerFixture, randomFrom, TestClock } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import {
  type DhtAnswer,
  type DhtValue,
  decodePrefix,
  decodeUnion,
  dhtAnswer,
  dhtFunction,
  dhtNode,
  dhtValue,
  encodeUnion,
} from '@shardwalk/tl'
import { describe, expect, test } from 'vitest'
import { DhtClient, dhtKeyId, readDhtConfig, signAddress, signServer } from './index.ts'
import { addressKey, compareDistance, overlayNodesKey } from './keys.ts'
import { Lookup } from './lookup.ts'
import { type DhtServer, serverOf } from './server.ts'
import { ServerTable } from './server-table.ts'
import { checkValue } from './value.ts'

const SEED = testSeed()

interface RecordedValue {
  readonly type: 'dht.value' | 'dht.node'
  readonly rule?: string
  readonly keyId?: string
  readonly id?: string
  readonly tl: string
}
const base64 = (text: string) => Buffer.from(text, 'base64')
const recorded = peerFixture<RecordedValue>('dht-values')
const values = recorded
  .filter(({ type }) => type === 'dht.value')
  .map(({ keyId, tl }) => ({
    keyId: Buffer.from(keyId!, 'hex'),
    value: decodePrefix(dhtValue, base64(tl))!.value,
  }))
/** Before every recorded value expires. */
const THEN = 1_795_322_500

describe('the recording', () => {
  test('holds values that are valid under their keys until they expire, and only unchanged', () => {
    expect(values.length).toBeGreaterThan(90)
    for (const { keyId, value } of values) {
      expect(checkValue(value, keyId, THEN)).toBe(true)
      expect(checkValue(value, Buffer.alloc(32), THEN)).toBe(false)
      expect(checkValue(value, keyId, value.ttl + 1)).toBe(false)
      if (value.key.updateRule.kind !== 'dht.updateRule.signature') continue
      expect(checkValue({ ...value, ttl: value.ttl - 1 }, keyId, THEN)).toBe(false)
      const description = { ...value.key, signature: Buffer.from(value.key.signature) }
      description.signature[3]! ^= 1
      expect(checkValue({ ...value, key: description }, keyId, THEN)).toBe(false)
    }
  })

  test('holds servers that have signed themselves', () => {
    const nodes = recorded.filter(({ type }) => type === 'dht.node')
    expect(nodes.length).toBeGreaterThan(50)
    for (const { id, tl } of nodes) {
      const node = decodePrefix(dhtNode, base64(tl))!.value
      expect(serverOf(node, THEN)?.id.toString('hex')).toBe(id)
      expect(serverOf({ ...node, version: node.version + 1 }, THEN)).toBeUndefined()
    }
  })

  test('holds queries and answers that are read and written again byte for byte', () => {
    for (const { queryTl, answerTl, prefix } of peerFixture<{
      readonly queryTl: string
      readonly answerTl: string | null
      readonly prefix: boolean
    }>('dht-exchanges')) {
      if (!prefix) {
        const query = decodeUnion(dhtFunction, base64(queryTl))
        expect(encodeUnion(dhtFunction, query)).toEqual(base64(queryTl))
      }
      if (!answerTl) continue
      const answer = decodeUnion(dhtAnswer, base64(answerTl))
      expect(encodeUnion(dhtAnswer, answer)).toEqual(base64(answerTl))
    }
  })
})

test('the vectors of the specification: ids of keys, and a server of the mainnet configuration', () => {
  const id = Buffer.from('c6fa26802422205ef272b0208c6273e83f94f3a0b88cd7e7aa2329726dc37820', 'hex')
  expect(dhtKeyId(addressKey(id)).toString('hex')).toBe(
    '1ce46877e5d7c0b61fa49dd865c1c9efb36e3d6da4c76d68bdaab0b72c2ae313',
  )
  const masterchain = Buffer.from('fc061ba11e1d7ba92dc6eb25ba79174a5ea4b11ea6299f9cd80df4214f1ddb3b', 'hex')
  expect(dhtKeyId(overlayNodesKey(masterchain)).toString('hex')).toBe(
    'eef3002397f64027feeba4ab8b695952a1fe5e9eab49d942e468539a11a58558',
  )
  const [node] = readDhtConfig(MAINNET)!.staticNodes
  const server = serverOf(node!, THEN)
  expect(server?.address).toEqual({ host: '185.86.79.9', port: 22_096 })
  expect(serverOf({ ...node!, version: 1 }, THEN)).toBeUndefined()
})

test('a server whose key has a small order, for which anybody can sign, is none', () => {
  const [node] = readDhtConfig(MAINNET)!.staticNodes
  const [key, signature] = [Buffer.alloc(32), Buffer.alloc(64)]
  // The neutral element, which is both the key and the first half of its signature.
  for (const bytes of [key, signature]) bytes[0] = 1
  expect(serverOf({ ...node!, id: { kind: 'pub.ed25519', key }, signature }, THEN)).toBeUndefined()
})

const MAINNET = {
  dht: {
    '@type': 'dht.config.global',
    k: 6,
    a: 3,
    static_nodes: {
      nodes: [
        {
          id: { '@type': 'pub.ed25519', key: '6PGkPQSbyFp12esf1NqmDOaLoFA8i9+Mp5+cAx5wtTU=' },
          addr_list: {
            addrs: [{ '@type': 'adnl.address.udp', ip: -1185526007, port: 22096 }],
            version: 0,
            reinit_date: 0,
            priority: 0,
            expire_at: 0,
          },
          version: -1,
          signature:
            'L4N1+dzXLlkmT5iPnvsmsixzXU0L6kPKApqMdcrGP5d9ssMhn69SzHFK+yIzvG6zQ9oRb4TnqPBaKShjjj2OBg==',
        },
      ],
    },
  },
}

test('a config that is wrong is refused by the name of the field', () => {
  expect(readDhtConfig({})).toBeUndefined()
  const broken = structuredClone(MAINNET)
  broken.dht.static_nodes.nodes[0]!.id.key = 'AAAA'
  expect(() => readDhtConfig(broken)).toThrow(/dht.static_nodes.nodes\[0\].id.key: has 3 bytes/)
})

test('a server of a config that cannot be read keeps out no other one', () => {
  const { nodes } = MAINNET.dht.static_nodes
  const config = (...others: unknown[]) => ({ dht: { static_nodes: { nodes: [...others, ...nodes] } } })
  const known = readDhtConfig(config())!
  const read = readDhtConfig(config({ ...nodes[0], signature: undefined }, null))!
  expect(read.staticNodes).toEqual(known.staticNodes)
  expect(read.leftOut).toEqual([
    expect.stringContaining('dht.static_nodes.nodes[0].signature: has 0 bytes'),
    expect.stringContaining('dht.static_nodes.nodes[1].id.key: has 0 bytes'),
  ])
})

const random = randomFrom(SEED)
const randomBytes = (length: number) => Buffer.from(Uint8Array.from({ length }, () => random() * 256))

const at = (key: AdnlKey, port: number, unixTime: number) => ({
  key,
  address: { host: '127.0.0.1', port },
  unixTime,
})

/** A hash table of many servers, of which a client knows a few. */
function table(
  size: number,
  answer?: (server: DhtServer, honest: DhtAnswer) => DhtAnswer | undefined,
  maxServers?: number,
) {
  const clock = new TestClock()
  const k = 6
  const nodes = Array.from({ length: size }, (_, i) =>
    signServer(at(new AdnlKey(randomBytes(32)), 1_000 + i, clock.unixTime())),
  )
  const servers = nodes.map((node) => ({ node, server: serverOf(node, clock.unixTime())! }))
  const stored = new Map<string, { readonly at: Set<string>; readonly value: DhtValue }>()
  const nameOf = (id: Buffer) => id.toString('hex')
  const closest = (keyId: Buffer, count: number) =>
    [...servers].sort((a, b) => compareDistance(keyId, a.server.id, b.server.id)).slice(0, count)
  let asked = 0
  const client = new DhtClient({
    config: { k, a: 3, staticNodes: nodes.slice(0, 3) },
    clock,
    random: randomBytes,
    maxServers,
    ask: async (server, bytes) => {
      asked++
      const query = decodeUnion(dhtFunction, bytes)
      if (query.kind !== 'dht.findValue' && query.kind !== 'dht.findNode') throw new Error('not asked')
      const near = { nodes: closest(query.key, k).map(({ node }) => node) }
      const kept = stored.get(nameOf(query.key))
      const found = query.kind === 'dht.findValue' && kept?.at.has(nameOf(server.id)) ? kept.value : undefined
      const honest: DhtAnswer = found
        ? { kind: 'dht.valueFound', value: { kind: 'dht.value', ...found } }
        : query.kind === 'dht.findNode'
          ? { kind: 'dht.nodes', ...near }
          : { kind: 'dht.valueNotFound', nodes: near }
      const said = answer ? answer(server, honest) : honest
      if (!said) throw new Error('silence')
      return encodeUnion(dhtAnswer, said)
    },
  })
  return {
    client,
    clock,
    asked: () => asked,
    store(value: DhtValue) {
      const keyId = dhtKeyId(value.key.key)
      const at = new Set(closest(keyId, k).map(({ server }) => nameOf(server.id)))
      stored.set(nameOf(keyId), { at, value })
    },
  }
}

test('an address is found among 100 servers from three of them, and remembered', async () => {
  const { client, clock, store, asked } = table(100)
  const key = new AdnlKey(randomBytes(32))
  store(signAddress(at(key, 4_321, clock.unixTime())))
  const { id } = serverOf(signServer(at(key, 1, clock.unixTime())), clock.unixTime())!
  expect(await client.findAddress(id)).toEqual({ host: '127.0.0.1', port: 4_321 })
  const queries = asked()
  expect(queries).toBeLessThan(20)
  await client.findAddress(id)
  expect(asked()).toBe(queries)
  expect(await client.findAddress(randomBytes(32))).toBeUndefined()
})

test('silent and dishonest servers delay a lookup and do not mislead it', async () => {
  const wrong = signAddress(at(new AdnlKey(Buffer.alloc(32, 9)), 6_666, 1_795_322_000))
  const { client, clock, store } = table(60, (server, honest) => {
    const kind = server.id[31]! % 3
    if (kind === 0) return undefined
    // A value under the wrong key, signed by another.
    return kind === 1 && server.id[30]! % 2 === 0
      ? { kind: 'dht.valueFound', value: { kind: 'dht.value', ...wrong } }
      : honest
  })
  for (let i = 0; i < 10; i++) {
    const key = new AdnlKey(randomBytes(32))
    store(signAddress(at(key, 5_000 + i, clock.unixTime())))
    const { id } = serverOf(signServer(at(key, 1, clock.unixTime())), clock.unixTime())!
    const found = await client.findAddress(id)
    expect([undefined, 5_000 + i], `SEED=${SEED}`).toContain(found?.port)
  }
})

test('only the node itself says where it is: a value that anybody may change is none', async () => {
  const key = new AdnlKey(Buffer.alloc(32, 8))
  const forged = signAddress(at(new AdnlKey(Buffer.alloc(32, 9)), 6_666, 1_795_322_000))
  const id = { kind: 'pub.ed25519', key: key.publicKey } as const
  const addressOf = addressKey(publicKeyId(id))
  const updateRule = { kind: 'dht.updateRule.anybody' } as const
  const value: DhtValue = {
    ...forged,
    key: { key: addressOf, id, updateRule, signature: Buffer.alloc(0) },
    signature: Buffer.alloc(0),
  }
  const { client, store } = table(20)
  store(value)
  expect(await client.findAddress(addressOf.id)).toBeUndefined()
})

test('late servers hold up nothing: the next closest are asked, until enough is known', async () => {
  const keyId = Buffer.alloc(32)
  const serverAt = (distance: number): DhtServer => {
    const id = Buffer.alloc(32, distance)
    return { id, publicKey: id, address: { host: '192.0.2.1', port: distance }, version: 1 }
  }
  const asked: number[] = []
  await new Lookup({
    ...{ keyId, k: 6, a: 3, start: [9, 8, 7, 6, 5, 4, 3, 2, 1].map(serverAt) },
    ask: ({ address: { port } }, onLate) => {
      asked.push(port)
      if (port === 8) return Promise.resolve(undefined)
      onLate()
      return new Promise(() => {})
    },
  }).run()
  expect(asked.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('servers that failed are asked again elsewhere, and all of them if none answers any more', () => {
  const key = Buffer.alloc(32)
  const server = (fill: number, version = 1): DhtServer => ({
    ...{ id: Buffer.alloc(32, fill), publicKey: Buffer.alloc(32, fill), version },
    address: { host: '127.0.0.1', port: version },
  })
  const servers = new ServerTable([server(1)], 10)
  const asked = () => servers.closest(key, 10).map(({ id, version }) => `${id[0]} ${version}`)
  for (const fill of [2, 3]) servers.add(server(fill))
  const fail = (fill: number) => {
    for (let i = 0; i < 3; i++) servers.failed(server(fill), { askedAt: i, now: i + 1 })
  }
  fail(2)
  expect(asked()).toEqual(['1 1', '3 1'])
  servers.add(server(2, 2))
  expect(asked()).toEqual(['1 1', '2 2', '3 1'])
  for (const fill of [1, 2, 3]) fail(fill)
  expect([servers.alive, asked()]).toEqual([0, ['1 1', '2 2', '3 1']])
})

test('queries that end without an answer at the same time are one failure of a server', async () => {
  const clock = new TestClock()
  const key = new AdnlKey(randomBytes(32))
  const address = { host: '127.0.0.1', port: 1 }
  const ends: (() => void)[] = []
  const client = new DhtClient({
    config: { k: 10, a: 3, staticNodes: [signServer({ key, address, unixTime: clock.unixTime() })] },
    clock,
    random: randomBytes,
    ask: () => new Promise((_resolve, reject) => ends.push(() => reject(new Error('no answer')))),
  })
  for (const alive of [1, 1, 0]) {
    const searches = Array.from({ length: 5 }, () => client.refresh(randomBytes(32)))
    clock.advance(1000)
    expect(ends.length).toBeGreaterThan(3)
    for (const end of ends.splice(0)) end()
    await Promise.all(searches)
    expect(client.serverCount).toBe(alive)
  }
})

test('no more servers are remembered than allowed, whatever is listed', async () => {
  const { client } = table(60, undefined, 30)
  for (let i = 0; i < 3; i++) await client.refresh(randomBytes(32))
  expect(client.serverCount).toBeGreaterThan(10)
  expect(client.serverCount).toBeLessThanOrEqual(30)
})
