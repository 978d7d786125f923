import { AdnlKey, AdnlNode, type AdnlPeer, publicKeyId } from '@shardwalk/adnl'
import { DhtClient, dhtKeyId, membersValue, signAddress, signServer } from '@shardwalk/dht'
import { FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { Members, shardOverlay, signMembership, withoutOverlayPrefix } from '@shardwalk/overlay'
import { randomFrom, TestClock } from '@shardwalk/testkit'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import {
  type DhtNode,
  type DhtValue,
  decodeUnion,
  dhtAnswer,
  dhtFunction,
  encodeUnion,
  overlayAnswer,
} from '@shardwalk/tl'
import { expect, test } from 'vitest'
import { JoinedOverlay } from './joined-overlay.ts'
import { OverlaySearch } from './overlay-search.ts'
import { systemClock } from './udp-node.ts'

const SEED = testSeed()
/** Of each kind of line; one after the other from the seed. */
const RUNS = Number(process.env['RUNS'] ?? (isLong ? 3 : 1))
const OVERLAY = { workchain: MASTERCHAIN, shard: FULL_SHARD, zeroStateFileHash: Buffer.alloc(32, 7) }
const TICK_MS = 40
/** Nodes of a network, all of them servers, and how many of the closest servers hold a value. */
const NODES = 12
const HOLDERS = 6

interface Line {
  readonly roundTripMs: number
  /** Shares of datagrams. */
  readonly loss: number
  readonly reorder: number
}

/** A network in simulated time. */
class Network {
  readonly clock = new TestClock(Math.floor(Date.now() / 1_000))
  readonly nodes = new Map<number, AdnlNode>()
  private readonly underWay = new Map<number, (() => void)[]>()

  constructor(
    private readonly line: Line,
    readonly random: () => number,
  ) {}

  readonly randomBytes = (length: number): Buffer =>
    Buffer.from(Uint8Array.from({ length }, () => this.random() * 256))

  /** A node at a port of its own. Undefined: it is silent. */
  add(key: AdnlKey, answer: (query: Buffer, peer: AdnlPeer) => Buffer | undefined): AdnlNode {
    const port = 1_000 + this.nodes.size
    const node = new AdnlNode({
      ...{ key, clock: this.clock, random: this.randomBytes },
      send: (datagram, { port: to }) =>
        this.carry(() => this.nodes.get(to)?.receive(datagram, { host: hostOf(port), port })),
      onQuery: async (query, peer) => answer(query, peer),
    })
    this.nodes.set(port, node)
    return node
  }

  private carry(deliver: () => void): void {
    const { roundTripMs, loss, reorder } = this.line
    if (this.random() < loss) return
    const lateMs = this.random() < reorder ? 1 + Math.floor(this.random() * 10) : 0
    const at = this.clock.now() + Math.ceil(roundTripMs / 2) + lateMs
    this.underWay.set(at, [...(this.underWay.get(at) ?? []), deliver])
  }

  /** Lets a millisecond pass. */
  async step(): Promise<void> {
    this.clock.advance(1)
    const now = this.clock.now()
    const arriving = this.underWay.get(now)
    this.underWay.delete(now)
    for (const deliver of arriving ?? []) deliver()
    if (now % TICK_MS === 0) for (const node of this.nodes.values()) node.tick()
    if (arriving || now % TICK_MS === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

const hostOf = (port: number): string => `192.0.2.${port % 256}`

/** What the servers of a network hold, each value at those that are closest to its key. */
class Table {
  readonly servers: DhtNode[] = []
  private readonly values = new Map<string, { readonly value: DhtValue; readonly holders: Set<number> }>()

  store(value: DhtValue): void {
    const keyId = dhtKeyId(value.key.key)
    const holders = new Set(this.closest(keyId).slice(0, HOLDERS))
    this.values.set(keyId.toString('hex'), { value, holders })
  }

  /** Servers by their distance. */
  private closest(keyId: Buffer): readonly number[] {
    const distances = this.servers.map(({ id }, index) => ({
      index,
      distance: publicKeyId(id).map((byte, i) => byte ^ keyId[i]!),
    }))
    return distances.sort((a, b) => Buffer.compare(a.distance, b.distance)).map(({ index }) => index)
  }

  answer(index: number, bytes: Buffer, isForged: boolean): Buffer | undefined {
    const query = decodeUnion(dhtFunction, bytes)
    if (query.kind !== 'dht.findNode' && query.kind !== 'dht.findValue') return undefined
    const nodes = this.closest(query.key)
      .slice(0, query.k)
      .map((index) => this.servers[index]!)
    if (query.kind === 'dht.findNode') return encodeUnion(dhtAnswer, { kind: 'dht.nodes', nodes })
    const held = this.values.get(query.key.toString('hex'))
    if (!held?.holders.has(index))
      return encodeUnion(dhtAnswer, { kind: 'dht.valueNotFound', nodes: { nodes } })
    const value = isForged ? { ...held.value, ttl: held.value.ttl - 1, value: Buffer.alloc(8) } : held.value
    return encodeUnion(dhtAnswer, { kind: 'dht.valueFound', value: { kind: 'dht.value', ...value } })
  }
}

/** Answers nothing; names false values; is a member that answers no question; is as it should be. */
type Kind = 'dead' | 'dishonest' | 'mute' | 'good'
const QUESTION = Buffer.from('a question to full nodes, which only good ones answer')

/** Servers and members, the addresses of which and the overlay's members are in the table. */
function startNodes(network: Network, kinds: readonly Kind[]) {
  const unixTime = network.clock.unixTime()
  const table = new Table()
  const overlay = shardOverlay(OVERLAY)
  const keys = kinds.map(() => new AdnlKey(network.randomBytes(32)))
  const memberships = keys.map((key) => signMembership(key, overlay.id, unixTime))
  for (const [index, key] of keys.entries()) {
    const members = new Members({
      ...{ overlay: overlay.id, ownKey: key, unixTime: () => network.clock.unixTime() },
      randomIndex: (limit) => Math.floor(network.random() * limit),
    })
    members.learn(Array.from({ length: 4 }, (_, i) => memberships[(index + i + 1) % NODES]!))
    const kind = kinds[index]!
    network.add(key, (query) => {
      if (kind === 'dead') return undefined
      if (query.equals(QUESTION)) return kind === 'good' ? Buffer.from('an answer') : undefined
      const prefixed = withoutOverlayPrefix(query)
      return prefixed
        ? members.answer(prefixed.rest, '192.0.2.1')
        : table.answer(index, query, kind === 'dishonest')
    })
  }
  const places = keys.map((key, i) => ({
    key,
    address: { host: hostOf(1_000 + i), port: 1_000 + i },
    unixTime,
  }))
  table.servers.push(...places.map(signServer))
  for (const place of places) table.store(signAddress(place))
  table.store(membersValue(overlay, memberships.slice(0, 5), unixTime))
  return table
}

/** Simulated milliseconds until one that knows a few servers has an answer of a full node. */
async function timeOfFirstAnswer(line: Line, kinds: readonly Kind[], random: () => number): Promise<number> {
  const network = new Network(line, random)
  const { clock, randomBytes } = network
  const table = startNodes(network, kinds)
  const ownKey = new AdnlKey(randomBytes(32))
  const own = network.add(ownKey, () => undefined)
  let isClosed = false
  const ask = (peer: AdnlPeer, query: Buffer, timeoutMs: number, onLate?: () => void) =>
    isClosed ? Promise.reject(new Error('closed')) : peer.query(query, timeoutMs, onLate)
  const dht = new DhtClient({
    ...{ config: { k: HOLDERS, a: 3, staticNodes: table.servers.slice(0, 6) }, clock, random: randomBytes },
    ask: ({ publicKey, address }, query, onLate) => ask(own.peer(publicKey, address), query, 3_000, onLate),
  })
  const overlay = new JoinedOverlay({
    ...{ ...OVERLAY, ownKey, onBroadcast: () => {} },
    restoreBlock: () => Promise.reject(new Error('there are no broadcasts')),
  })
  const node = { clock, ask, peer: (key: Buffer, at: { host: string; port: number }) => own.peer(key, at) }
  const search = new OverlaySearch({ overlay, node, dht, wantedPeers: 50 })
  let isAnswered = false
  const asked = new Set<AdnlPeer>()
  overlay.onAdded(() => {
    for (const { adnl } of overlay.peers.values()) {
      if (asked.has(adnl)) continue
      asked.add(adnl)
      ask(adnl, QUESTION, 3_000).then(
        () => (isAnswered = true),
        () => asked.delete(adnl),
      )
    }
  })
  let lookAt = 0
  for (; !isAnswered && clock.now() < 60_000; await network.step()) {
    if (clock.now() < lookAt) continue
    lookAt = Number.POSITIVE_INFINITY
    void search.run().then(() => (lookAt = clock.now() + search.pauseMs))
  }
  isClosed = true
  own.close()
  await search.close()
  return clock.now()
}

/** Kinds in these shares, the rest good ones, in a random order. */
function kindsOf(shares: Partial<Record<Kind, number>>, random: () => number): readonly Kind[] {
  const kinds: Kind[] = Object.entries(shares).flatMap(([kind, share]) =>
    Array<Kind>(Math.round(share * NODES)).fill(kind as Kind),
  )
  while (kinds.length < NODES) kinds.push('good')
  return kinds
    .map((kind) => ({ kind, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind)
}

test('a full node that was silent is looked for again, and asked where it is now', async () => {
  const network = new Network({ roundTripMs: 2, loss: 0, reorder: 0 }, randomFrom(SEED))
  const { clock, randomBytes } = network
  const [ownKey, key] = [new AdnlKey(randomBytes(32)), new AdnlKey(randomBytes(32))]
  const membership = signMembership(key, shardOverlay(OVERLAY).id, clock.unixTime())
  const overlay = new JoinedOverlay({
    ...{ ...OVERLAY, ownKey, onBroadcast: () => {} },
    restoreBlock: () => Promise.reject(new Error('there are no broadcasts')),
  })
  const own = network.add(ownKey, () => undefined)
  let place = { host: '192.0.2.1', port: 1 }
  let [asked, lookedMs] = [0, 0]
  const answer = encodeUnion(overlayAnswer, { kind: 'overlay.nodes', nodes: [membership] })
  const search = new OverlaySearch({
    ...{ overlay, wantedPeers: 50 },
    node: {
      clock: { ...systemClock, now: () => systemClock.now() + lookedMs },
      peer: (key, at) => own.peer(key, at),
      ask: async ({ address }) => {
        asked++
        return address.port === place.port ? answer : Promise.reject(new Error('silence'))
      },
    },
    dht: {
      findMembers: async (_, take) => take([membership]),
      findAddress: async () => place,
      addressFailed: () => {},
    },
  })
  const look = async () => {
    lookedMs += 5_000
    await search.run()
    await new Promise((resolve) => setImmediate(resolve))
    return overlay.states()
  }
  expect(await look()).toEqual({ ready: 1, resting: 0, banned: 0 })
  const [peer] = [...overlay.peers.values()]
  for (let i = 0; i < 10; i++) peer!.failed(systemClock.now())
  expect(await look()).toEqual({ ready: 0, resting: 1, banned: 0 })
  // It answers this, but not what full nodes are asked.
  expect(asked).toBeLessThan(10)
  place = { host: '192.0.2.1', port: 2 }
  expect(await look()).toEqual({ ready: 1, resting: 0, banned: 0 })
})

test('servers that make up silent members all the time do not hide those that one server knows', async () => {
  const network = new Network({ roundTripMs: 2, loss: 0, reorder: 0 }, randomFrom(SEED))
  const [ownKey, key] = [new AdnlKey(network.randomBytes(32)), new AdnlKey(network.randomBytes(32))]
  const member = (of: AdnlKey) => signMembership(of, shardOverlay(OVERLAY).id, network.clock.unixTime())
  const madeUp = () => Array.from({ length: 5 }, () => member(new AdnlKey(network.randomBytes(32))))
  const overlay = new JoinedOverlay({
    ...{ ...OVERLAY, ownKey, onBroadcast: () => {} },
    restoreBlock: () => Promise.reject(new Error('there are no broadcasts')),
  })
  const own = network.add(ownKey, () => undefined)
  const answer = encodeUnion(overlayAnswer, { kind: 'overlay.nodes', nodes: [] })
  const search = new OverlaySearch({
    ...{ overlay, wantedPeers: 50 },
    node: {
      clock: systemClock,
      peer: (of, at) => own.peer(of, at),
      ask: ({ publicKey }) =>
        publicKey.equals(key.publicKey) ? Promise.resolve(answer) : new Promise(() => {}),
    },
    dht: {
      findMembers: async (_, take) => {
        for (let server = 0; server < 5; server++) take(madeUp())
        take([member(key)])
      },
      findAddress: async () => ({ host: '192.0.2.1', port: 1 }),
      addressFailed: () => {},
    },
  })
  await search.run()
  await new Promise((resolve) => setImmediate(resolve))
  expect(overlay.states().ready).toBe(1)
})

test.each([
  { loss: 0.1, roundTripMs: 150, shares: {}, boundMs: 4_000 },
  { loss: 0.1, roundTripMs: 2, shares: { dead: 0.25, dishonest: 0.25, mute: 0.25 }, boundMs: 5_000 },
  { loss: 0.2, roundTripMs: 150, shares: { dead: 0.25, dishonest: 0.25 }, boundMs: 6_000 },
  { loss: 0.3, roundTripMs: 150, shares: { dead: 0.25, dishonest: 0.25, mute: 0.25 }, boundMs: 10_000 },
])(
  'a full node answers soon: $loss lost, $roundTripMs ms, $shares',
  async ({ loss, roundTripMs, shares, boundMs }) => {
    const times: number[] = []
    for (let i = 0; i < RUNS; i++) {
      const seed = SEED + i
      const random = randomFrom(seed)
      const took = await timeOfFirstAnswer(
        { loss, roundTripMs, reorder: 0.3 },
        kindsOf(shares, random),
        random,
      )
      times.push(took)
      expect(took, `SEED=${seed}`).toBeLessThan(boundMs)
    }
    times.sort((a, b) => a - b)
    console.log(
      `SEED=${SEED}, loss ${loss}, ${roundTripMs} ms: median ${times[RUNS >> 1]} ms, most ${times.at(-1)} ms`,
    )
  },
)
