import { randomFrom, TestClock } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { openForChannel, sealForNode } from '../datagram.ts'
import { AdnlKey, AdnlNode, type AdnlPeer, type UdpAddress } from '../index.ts'
import { readPacket, signedPacket } from '../packet.ts'
import type { AdnlNodeOptions } from './adnl-node.ts'

const SEED = testSeed()

interface Sent {
  readonly datagram: Buffer
  readonly from: UdpAddress
  readonly to: UdpAddress
}

/** Nodes on a line that a test controls. */
class Network {
  readonly clock = new TestClock()
  readonly random: () => number
  readonly log: Sent[] = []
  loss = 0
  private waiting: Sent[] = []
  private readonly nodes = new Map<number, AdnlNode>()

  constructor(seed = SEED) {
    this.random = randomFrom(seed)
  }

  bytes = (length: number): Buffer =>
    Buffer.from(Uint8Array.from({ length }, () => Math.floor(this.random() * 256)))

  node(port: number, seed: number, options: Partial<AdnlNodeOptions> = {}): AdnlNode {
    const from = { host: '127.0.0.1', port }
    const node = new AdnlNode({
      key: new AdnlKey(Buffer.alloc(32, seed)),
      clock: this.clock,
      random: this.bytes,
      send: (datagram, to) => {
        this.log.push({ datagram, from, to })
        if (this.random() >= this.loss) this.waiting.push({ datagram, from, to })
      },
      ...options,
    })
    this.nodes.set(port, node)
    return node
  }

  inject(datagram: Buffer, to: number): void {
    this.nodes.get(to)?.receive(datagram, { host: '10.0.0.1', port: 1 })
  }

  /** Delivers what is under way, and time passes. */
  async run(ms: number): Promise<void> {
    for (const end = this.clock.now() + ms; this.clock.now() < end; this.clock.advance(20)) {
      const now = this.waiting
      this.waiting = []
      for (const { datagram, from, to } of now) this.nodes.get(to.port)?.receive(datagram, from)
      await new Promise((resolve) => setImmediate(resolve))
      for (const node of this.nodes.values()) node.tick()
    }
  }

  async isAnswered(query: Promise<unknown>, withinMs: number): Promise<boolean> {
    const [{ status }] = await Promise.all([
      Promise.allSettled([query]).then(([end]) => end),
      this.run(withinMs),
    ])
    return status === 'fulfilled'
  }
}

const key = (seed: number) => new AdnlKey(Buffer.alloc(32, seed)).publicKey
const at = (port: number): UdpAddress => ({ host: '127.0.0.1', port })
const echo = async (query: Buffer) => Buffer.concat([Buffer.from('re: '), query])

test('the first query is answered at once, and later ones go through a channel', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  const server = network.node(2, 2, { onQuery: echo })
  const peer = client.peer(key(2), at(2))
  const first = peer.query(Buffer.from('one'), 3_000)
  await network.run(200)
  expect((await first).toString()).toBe('re: one')
  expect(peer.hasChannel).toBe(true)
  const before = network.log.length
  const second = peer.query(Buffer.from('two'), 3_000)
  await network.run(200)
  expect((await second).toString()).toBe('re: two')
  const later = network.log.slice(before).map(({ datagram }) => datagram.subarray(0, 32))
  expect(later.some((addressee) => addressee.equals(client.id) || addressee.equals(server.id))).toBe(false)
})

test('answers of 8 KB come in parts; longer ones do not come', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  network.node(2, 2, { onQuery: async (query) => Buffer.alloc(query.readUInt16LE(0), 7) })
  const peer = client.peer(key(2), at(2))
  const ask = (size: number) => {
    const query = Buffer.alloc(2)
    query.writeUInt16LE(size)
    return peer.query(query, 2_000)
  }
  const fits = ask(8_000)
  const refused = expect(ask(9_000)).rejects.toMatchObject({ code: 'adnl_no_answer' })
  await network.run(2_500)
  expect((await fits).length).toBe(8_000)
  await refused
})

test('a peer that has restarted is understood, and what waited for it is asked again', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  network.node(2, 2, { onQuery: echo })
  const peer = client.peer(key(2), at(2))
  const first = peer.query(Buffer.from('one'), 3_000)
  await network.run(500)
  await first
  await network.run(10_000)
  // The same key in a new process, which knows nothing of the channel.
  network.node(2, 2, { onQuery: echo })
  const asked = peer.query(Buffer.from('two'), 20_000)
  await network.run(4_000)
  const again = peer.query(Buffer.from('three'), 20_000)
  await network.run(3_000)
  const last = peer.query(Buffer.from('four'), 20_000)
  await network.run(3_000)
  expect((await Promise.all([asked, again, last])).map(String)).toEqual(['re: two', 're: three', 're: four'])
})

test('after our own restart the next query is answered', async () => {
  const network = new Network()
  network.node(2, 2, { onQuery: echo })
  for (const round of [1, 2, 3]) {
    const client = network.node(1, 1)
    const asked = client.peer(key(2), at(2)).query(Buffer.from(`${round}`), 3_000)
    await network.run(2_000)
    expect(String(await asked)).toBe(`re: ${round}`)
  }
})

test('a peer that says when it began may leave that out later', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  const server = network.node(2, 2, { onQuery: echo })
  expect(await network.isAnswered(client.peer(key(2), at(2)).query(Buffer.of(1), 1_000), 200)).toBe(true)
  const contents = signedPacket(new AdnlKey(Buffer.alloc(32, 1)), {
    ...{ rand1: network.bytes(7), rand2: network.bytes(7), flags: 0, seqno: 1n << 40n },
    from: { kind: 'pub.ed25519', key: key(1) },
    message: { kind: 'adnl.message.query', queryId: network.bytes(32), query: Buffer.of(2) },
  })
  const answersTo = () => network.log.filter(({ to }) => to.host === '10.0.0.1').length
  network.inject(sealForNode(key(2), new AdnlKey(network.bytes(32)), contents)!, 2)
  await network.run(100)
  expect([server.counts.stale, answersTo()]).toEqual([0, 1])
})

test('of two starts in one second the later one is understood if it says so', async () => {
  const network = new Network()
  network.node(2, 2, { onQuery: echo })
  const now = Math.floor(network.clock.unixTime())
  const start = async (startedAt: number) => {
    const peer = network.node(1, 1, { startedAt }).peer(key(2), at(2))
    const asked = Promise.allSettled(Array.from({ length: 5 }, (_, i) => peer.query(Buffer.of(i), 150)))
    await network.run(200)
    return (await asked).filter(({ status }) => status === 'fulfilled').length
  }
  expect([await start(now), await start(now), await start(now + 1)]).toEqual([5, 0, 5])
})

test.each([0, 3_600])(
  'every few minutes peers get our address anew, also after a clock was set back %i s',
  async (setBack) => {
    const network = new Network()
    let isSetBack = false
    const clock = {
      now: () => network.clock.now(),
      unixTime: () => network.clock.unixTime() - (isSetBack ? setBack : 0),
    }
    const client = network.node(1, 1, { clock })
    let known: AdnlPeer | undefined
    network.node(2, 2, {
      onCustom: (_data, peer) => {
        known = peer
      },
    })
    const startedAt = Math.floor(network.clock.unixTime())
    const peer = client.peer(key(2), at(2))
    const versions: (number | undefined)[] = []
    for (let second = 0; second < 340; second += 20) {
      isSetBack ||= second > 100
      const before = network.log.length
      peer.sendCustom(Buffer.from('here'))
      // Until what was sent is confirmed: otherwise the channel counts as lost.
      await network.run(1_200)
      for (const { to, datagram } of network.log.slice(before)) {
        const inChannel = to.port === 2 && known?.incoming?.id.equals(datagram.subarray(0, 32))
        const contents = inChannel ? openForChannel(known!.incoming!, datagram) : undefined
        if (contents) versions.push(readPacket(contents).address?.version)
      }
      network.clock.advance(18_800)
    }
    expect(versions).toContain(startedAt + 180)
    // Not in every packet.
    expect(versions.filter((version) => version === undefined).length).toBeGreaterThan(10)
  },
)

test('a clock that is set back by an hour cuts no connection', async () => {
  const network = new Network()
  let setBack = 0
  const clock = {
    now: () => network.clock.now(),
    unixTime: () => network.clock.unixTime() - setBack,
  }
  const client = network.node(1, 1, { clock })
  const server = () => network.node(2, 2, { onQuery: echo, startedAt: Math.floor(network.clock.unixTime()) })
  server()
  const ask = (withinMs = 500) =>
    network.isAnswered(client.peer(key(2), at(2)).query(Buffer.of(1), withinMs), withinMs + 100)
  expect(await ask()).toBe(true)
  setBack = 3_600
  await network.run(1_000)
  // A new channel.
  client.forget(client.peer(key(2), at(2)))
  expect(await ask()).toBe(true)
  // A peer that has begun since, as it turns out when it does not answer in the channel.
  network.clock.advance(200_000)
  server()
  expect(await ask(8_000)).toBe(true)
})

/** A node that began with a clock an hour ahead, and another one. */
function begunAhead() {
  const network = new Network()
  let aheadSeconds = 3_600
  const clock = {
    now: () => network.clock.now(),
    unixTime: () => network.clock.unixTime() + aheadSeconds,
  }
  const client = network.node(1, 1, { clock })
  network.node(2, 2, { onQuery: echo })
  const ask = () => network.isAnswered(client.peer(key(2), at(2)).query(Buffer.of(1), 2_000), 2_100)
  const setClock = () => {
    aheadSeconds = 0
  }
  return { network, client, ask, setClock }
}

test('a clock that was ahead at the start, and is set then, keeps nobody away', async () => {
  const { ask, setClock } = begunAhead()
  expect(await ask()).toBe(false)
  setClock()
  expect(await ask()).toBe(true)
})

test('nor if a stranger has sent something meanwhile, who does not know when it began', async () => {
  const { network, client, ask, setClock } = begunAhead()
  const stranger = network.node(3, 3)
  const asked = stranger.peer(key(1), at(1)).query(Buffer.of(1), 500)
  expect(await network.isAnswered(asked, 600)).toBe(false)
  expect(client.peerCount).toBe(1)
  setClock()
  expect(await ask()).toBe(true)
})

test('peers that nobody uses are forgotten, except those that are kept or asked', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  const [kept, asked, idle] = [2, 3, 4].map((seed) => client.peer(key(seed), at(seed)))
  network.clock.advance(1_000)
  client.forgetIdle(2_000, () => false)
  expect(client.peerCount).toBe(3)
  network.clock.advance(2_000)
  const answer = asked!.query(Buffer.of(1), 5_000).catch(() => 'none')
  network.clock.advance(2_500)
  client.forgetIdle(2_000, (peer) => peer === kept)
  expect([kept, asked, idle].map((peer) => client.peer(peer!.publicKey, peer!.address) === peer)).toEqual([
    ...[true, true, false],
  ])
  client.close()
  expect(await answer).toBe('none')
})

test('a peer that was forgotten is understood when it is asked again, and when it asks', async () => {
  const network = new Network()
  const client = network.node(1, 1, { onQuery: echo })
  const server = network.node(2, 2, { onQuery: echo })
  const ask = (from: AdnlNode, to: number, timeoutMs: number) =>
    network.isAnswered(from.peer(key(to), at(to)).query(Buffer.of(1), timeoutMs), timeoutMs + 100)
  for (let i = 0; i < 100; i++) void client.peer(key(2), at(2)).query(Buffer.of(1), 500)
  await network.run(600)
  client.forget(client.peer(key(2), at(2)))
  // Another second, in which keys of channels are newer.
  await network.run(1_000)
  expect(await ask(client, 2, 500)).toBe(true)
  for (let i = 0; i < 100; i++) void server.peer(key(1), at(1)).query(Buffer.of(1), 500)
  await network.run(600)
  client.forget(client.peer(key(2), at(2)))
  await network.run(10_000)
  // First it has to find out that the channel is lost.
  expect(await ask(server, 1, 8_000)).toBe(true)
})

test('a silent peer is looked for at another address if there is one, one that answers is not', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  network.node(2, 2, { onQuery: echo })
  const ask = (port: number) =>
    network.isAnswered(client.peer(key(2), at(port)).query(Buffer.of(1), 2_000), 2_100)
  expect(await ask(9)).toBe(false)
  expect(await ask(2)).toBe(true)
  // An entry that is older, or false.
  expect(await ask(9)).toBe(true)
  network.node(2, 3)
  network.clock.advance(2_000)
  network.node(3, 2, { onQuery: echo })
  for (let i = 0; i < 5; i++) await ask(2)
  expect(await ask(3)).toBe(true)
})

test('a client behind a changing address is answered where its packets come from', async () => {
  const network = new Network()
  const server = network.node(2, 2, { onQuery: echo })
  const client = network.node(1, 1)
  const peer = client.peer(key(2), at(2))
  const first = peer.query(Buffer.from('one'), 3_000)
  await network.run(500)
  await first
  const moved = network.log.length
  void peer.query(Buffer.from('two'), 3_000).catch(() => {})
  const sent = network.log.slice(moved).find(({ to }) => to.port === 2)!
  server.receive(sent.datagram, { host: '192.0.2.7', port: 77 })
  await network.run(100)
  expect(network.log.slice(moved).some(({ to }) => to.host === '192.0.2.7')).toBe(true)
})

test('queries get through a line that loses a third, or fail by their deadline', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  network.node(2, 2, { onQuery: echo })
  network.loss = 0.33
  let answered = 0
  for (let i = 0; i < 40; i++) {
    const asked = client.peer(key(2), at(2)).query(Buffer.of(i), 1_000)
    asked.then(
      () => answered++,
      () => {},
    )
    await network.run(1_100)
  }
  expect(answered, `SEED=${SEED}`).toBeGreaterThan(8)
})

test('every replay of what was sent is dropped', async () => {
  const network = new Network()
  const received: string[] = []
  const client = network.node(1, 1)
  const server = network.node(2, 2, { onCustom: (data) => received.push(String(data)) })
  const peer = client.peer(key(2), at(2))
  for (let i = 0; i < 10; i++) {
    peer.sendCustom(Buffer.from(`${i}`))
    await network.run(100)
  }
  expect(received).toHaveLength(10)
  for (const { datagram, from, to } of [...network.log]) if (to.port === 2) server.receive(datagram, from)
  expect(received).toHaveLength(10)
})

test('what a peer said to an earlier process, said again from elsewhere, does not move it', async () => {
  const network = new Network()
  network.node(2, 2, { onQuery: echo })
  const start = () => network.node(1, 1).peer(key(2), at(2))
  expect(await network.isAnswered(start().query(Buffer.of(1), 500), 600)).toBe(true)
  const old = network.log.filter(({ to }) => to.port === 1)
  await network.run(2_000)
  const peer = start()
  expect(await network.isAnswered(peer.query(Buffer.of(2), 1_000), 1_100)).toBe(true)
  for (const { datagram } of old) network.inject(datagram, 1)
  expect(peer.address).toEqual(at(2))
})

test('hostile datagrams of every kind change nothing and cost no memory', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  const server = network.node(2, 2, { onQuery: echo })
  const peer = client.peer(key(2), at(2))
  const first = peer.query(Buffer.from('one'), 3_000)
  await network.run(500)
  await first
  const real = network.log.filter(({ to }) => to.port === 2).map(({ datagram }) => datagram)
  const before = server.peerCount
  for (let i = 0; i < 20_000; i++) {
    const mutated = Buffer.from(real[i % real.length]!)
    const kind = i % 4
    if (kind === 0) network.inject(network.bytes(i % 200), 2)
    else if (kind === 1) mutated[Math.floor(network.random() * mutated.length)]! ^= 1 + (i % 255)
    else if (kind === 2) server.id.copy(mutated)
    if (kind !== 0) network.inject(mutated.subarray(0, kind === 3 ? i % mutated.length : mutated.length), 2)
  }
  expect(server.peerCount).toBe(before)
  const later = peer.query(Buffer.from('two'), 3_000)
  await network.run(500)
  expect(String(await later), `SEED=${SEED}`).toBe('re: two')
})

test('strangers are admitted up to a number, at a rate, and the least recent is forgotten', async () => {
  const network = new Network()
  const forgotten: string[] = []
  const server = network.node(2, 2, {
    onQuery: echo,
    onForgotten: (peer) => forgotten.push(peer.publicKey.toString('hex')),
    limits: { incoming: 5, incomingPerHost: { burst: 8, perSecond: 0 } },
  })
  const asked: Promise<boolean>[] = []
  for (let i = 0; i < 12; i++) {
    const query = network
      .node(100 + i, 100 + i)
      .peer(key(2), at(2))
      .query(Buffer.of(i), 2_000)
    asked.push(
      query.then(
        () => true,
        () => false,
      ),
    )
    await network.run(100)
  }
  await network.run(3_000)
  expect(await Promise.all(asked)).toEqual([...Array(8).fill(true), ...Array(4).fill(false)])
  expect(server.peerCount).toBe(5)
  expect(forgotten).toEqual([100, 101, 102].map((seed) => key(seed).toString('hex')))
  expect(server.counts.limited).toBeGreaterThan(3)
})

test('a peer whose key has a small order is sent nothing, and its queries end', async () => {
  const network = new Network()
  const client = network.node(1, 1)
  const smallOrder = Buffer.alloc(32)
  smallOrder[0] = 1
  const peer = client.peer(smallOrder, at(9))
  const asked = peer.query(Buffer.of(1), 500).catch(({ code }) => code)
  await network.run(1_000)
  expect(await asked).toBe('adnl_no_answer')
  expect(network.log).toEqual([])
})

test('a flood from all over does not keep a node that is asked from answering', async () => {
  const network = new Network()
  const client = network.node(1, 1, { limits: { signedInAll: { burst: 300, perSecond: 0 } } })
  network.node(2, 2, { onQuery: echo })
  const flood = Buffer.concat([client.id, network.bytes(200)])
  const asked = client.peer(key(2), at(2)).query(Buffer.of(1), 1_000)
  for (let i = 0; i < 2_000; i++) client.receive(flood, { host: `198.51.${i >> 8}.${i & 255}`, port: 1 })
  expect(client.counts).toMatchObject({ damaged: 300, limited: 1_700 })
  expect(await network.isAnswered(asked, 1_100)).toBe(true)
})

test('strangers who are answered are no nodes that were asked', async () => {
  const network = new Network()
  const limits = { signedInAll: { burst: 10, perSecond: 0 } }
  const server = network.node(2, 2, { onQuery: echo, limits })
  const asked = network.node(1, 1).peer(key(2), at(2)).query(Buffer.of(1), 500)
  expect(await network.isAnswered(asked, 600)).toBe(true)
  const flood = Buffer.concat([server.id, network.bytes(200)])
  for (let i = 0; i < 50; i++) server.receive(flood, at(1))
  expect(server.counts.limited).toBeGreaterThanOrEqual(40)
})

test('a flood of packets outside of channels is cut before it costs a key exchange', async () => {
  const network = new Network()
  const server = network.node(2, 2)
  const flood = Buffer.concat([server.id, network.bytes(200)])
  for (let i = 0; i < 1_000; i++) network.inject(flood, 2)
  expect(server.counts).toMatchObject({ damaged: 75, limited: 925 })
})
