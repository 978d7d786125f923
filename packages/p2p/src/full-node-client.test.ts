import { hash } from 'node:crypto'
import type { AdnlPeer } from '@shardwalk/adnl'
import { type BlockId, formatBlockId, IndexerError, MASTERCHAIN } from '@shardwalk/model'
import { decodeUnion, encodeUnion, type TonNodeAnswer, tonNodeAnswer, tonNodeFunction } from '@shardwalk/tl'
import { expect, test, vi } from 'vitest'
import { DownloadPace } from './download-pace.ts'
import { FullNodeClient } from './full-node-client.ts'
import type { FullNodeNetwork } from './full-node-network.ts'
import { FullNodePeer } from './full-node-peer.ts'

const block = (seqno: number, fill = 0): BlockId => ({
  ...{ workchain: MASTERCHAIN, shard: 1n << 63n, seqno },
  ...{ rootHash: Buffer.alloc(32, fill), fileHash: Buffer.alloc(32, fill) },
})
const said = (answer: TonNodeAnswer): Buffer => encodeUnion(tonNodeAnswer, answer)
const settled = () => new Promise((resolve) => setImmediate(resolve))
const silence = () => Promise.reject(new Error('no answer'))

type Node = (query: ReturnType<typeof queryOf>) => Buffer | Promise<Buffer>
/** After `overlay.query` and the id of the overlay. */
const queryOf = (bytes: Buffer) => decodeUnion(tonNodeFunction, bytes.subarray(36))

const peerAt = (index: number): FullNodePeer => {
  const peer = new FullNodePeer({ id: Buffer.alloc(32, index) } as AdnlPeer)
  peer.restore({ meanMs: 10 ** (index + 1), failures: 0, rate: 0, bannedUntil: 0 }, 0, 0)
  return peer
}

/** A client of nodes that answer at once; the first ones are cheaper and asked first. */
function clientOf(nodes: Node[], now: () => number = () => 1) {
  const peers = nodes.map((_, index) => peerAt(index))
  const added = new Set<() => void>()
  const asked = async ({ id }: AdnlPeer, bytes: Buffer) => nodes[id[0]!]!(queryOf(bytes))
  const download = (peer: AdnlPeer, bytes: Buffer, { signal }: { readonly signal?: AbortSignal }) =>
    Promise.race([
      asked(peer, bytes),
      new Promise<Buffer>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    ])
  const network = {
    node: { udp: { clock: { now }, ask: asked, download } },
    traffic: new DownloadPace(undefined),
    masterchain: {
      id: Buffer.alloc(32),
      peers: new Map(peers.map((peer, index) => [String(index), peer])),
      onAdded: (listener: () => void) => {
        added.add(listener)
        return () => added.delete(listener)
      },
    },
  }
  /** Another node is found. */
  const find = (node: Node) => {
    nodes.push(node)
    const peer = peerAt(nodes.length - 1)
    network.masterchain.peers.set(String(nodes.length), peer)
    for (const listener of added) listener()
  }
  return { client: new FullNodeClient(network as unknown as FullNodeNetwork), peers, find, added }
}

test('whoever names key blocks has to prove them: nobody else is asked for what was invented', async () => {
  const [real, invented] = [block(5, 1), block(5, 2)]
  const provenBy: string[] = []
  const node =
    (name: string, named: BlockId): Node =>
    (query) => {
      if (query.kind === 'tonNode.getNextKeyBlockIds')
        return said({ kind: 'tonNode.keyBlocks', blocks: [named], incomplete: false, error: false })
      if (query.kind !== 'tonNode.downloadKeyBlockProof') return silence()
      provenBy.push(`${name} ${formatBlockId(query.block)}`)
      return named === real ? Buffer.from('proof') : silence()
    }
  const { client, peers } = clientOf([node('dishonest', invented), node('good', real)])
  const proven = await client.nextKeyBlocks(block(0), () => (id, proof) => [formatBlockId(id), String(proof)])
  expect(proven).toEqual([[formatBlockId(real), 'proof']])
  expect(provenBy.sort()).toEqual([`dishonest ${formatBlockId(invented)}`, `good ${formatBlockId(real)}`])
  // It may only have lost the proof.
  expect(peers.map((peer) => peer.isBanned(1))).toEqual([false, false])
})

test('a node whose answers nobody can read is not banned, but asked after others', async () => {
  class Unreadable extends IndexerError {
    readonly code = 'form_not_known'
    readonly retry = 'later'
  }
  const bytes = Buffer.from('a block')
  const id = { ...block(6), fileHash: hash('sha256', bytes, 'buffer') }
  let asked = 0
  const sending =
    (proof: string, count: number): Node =>
    () => {
      asked += count
      return said({ kind: 'tonNode.dataFull', id, block: bytes, proof: Buffer.from(proof), isLink: false })
    }
  const { client, peers } = clientOf([sending('newer', 1), sending('known', 0)])
  const next = () =>
    client.nextBlock(block(5), ({ proof }) => {
      if (String(proof) === 'newer') throw new Unreadable('unknown tag')
    })
  for (let i = 0; i < 3; i++) expect((await next())?.id).toEqual(id)
  expect([asked, peers.map((peer) => peer.isBanned(1))]).toEqual([1, [false, false]])
})

test('a file of thousands of blocks is passed over, one that begins too late is false', async () => {
  const archive = (start: number): Node => {
    return () => said({ kind: 'tonNode.archiveInfo', id: BigInt(start) })
  }
  const { client, peers } = clientOf([archive(1), archive(9_001), archive(8_950)])
  for (const [index, peer] of peers.entries()) peer.answered('archive', 10 ** (index + 1), 0)
  expect((await client.findArchive(9_000)).start).toBe(8_950)
  expect(peers.map((peer) => peer.isBanned(1))).toEqual([false, true, false])
})

test('a node whose archives nobody can read is asked for others after all that have them', async () => {
  let time = 1
  const asked: string[] = []
  const archive =
    (name: string): Node =>
    () => {
      asked.push(name)
      return said({ kind: 'tonNode.archiveInfo', id: 8_950n })
    }
  const { client, peers } = clientOf([archive('newer'), archive('known')], () => time)
  for (const [index, peer] of peers.entries()) peer.answered('archive', 10 ** (index + 1), 0)
  const found = await client.findArchive(9_000)
  found.postpone()
  for (let i = 0; i < 2; i++) await client.findArchive(9_000)
  time += 600_001
  await client.findArchive(9_000)
  expect(asked).toEqual(['newer', 'known', 'known', 'newer'])
})

test('a question that only a silent node has received is put to one that is found later', async () => {
  let isAsked = false
  const silent: Node = () => {
    isAsked = true
    return new Promise(() => {})
  }
  const { client, peers, find, added } = clientOf([silent])
  const asked = client.nextBlock(block(5))
  await expect.poll(() => isAsked && peers[0]!.rank(1)).toBe(1)
  const [before] = [added.size]
  find(() => said({ kind: 'tonNode.dataFullEmpty' }))
  expect(await asked).toBeUndefined()
  expect([before, added.size]).toEqual([1, 0])
})

test('a node that always says that there is no newer block holds nobody up', async () => {
  const bytes = Buffer.from('a block')
  const id = { ...block(6), fileHash: hash('sha256', bytes, 'buffer') }
  const behind: Node = () => said({ kind: 'tonNode.dataFullEmpty' })
  const good: Node = () =>
    said({ kind: 'tonNode.dataFull', id, block: bytes, proof: Buffer.alloc(0), isLink: false })
  const { client } = clientOf([behind, behind, good, good])
  const found = []
  for (let i = 0; i < 3; i++) found.push((await client.nextBlock(block(5)))?.id.seqno)
  // Two are not enough to say that there is none.
  expect([found, client.isNewest(block(5))]).toEqual([[undefined, undefined, 6], false])
  const all = clientOf([behind, behind, behind, behind]).client
  const isNewest = []
  for (let i = 0; i < 3; i++) isNewest.push((await all.nextBlock(block(5))) ?? all.isNewest(block(5)))
  expect(isNewest).toEqual([false, false, true])
})

test('that a key block is the newest is not believed of one node', async () => {
  const named =
    (blocks: readonly BlockId[]): Node =>
    ({ kind }) =>
      kind === 'tonNode.getNextKeyBlockIds'
        ? said({ kind: 'tonNode.keyBlocks', blocks, incomplete: false, error: false })
        : Buffer.from('proof')
  const read = () => (id: BlockId) => id.seqno
  const { client } = clientOf([named([]), named([block(5)])])
  expect(await client.nextKeyBlocks(block(0), read)).toEqual([5])
  expect(await clientOf([named([]), named([])]).client.nextKeyBlocks(block(0), read)).toEqual([])
})

test('nodes whose answers are newer than we are do not count as dishonest', async () => {
  const newer: Node = () => Buffer.from('0123456789abcdef', 'hex')
  const withState: Node = () =>
    said({
      ...{ kind: 'tonNode.dataFullCompressedV2', id: block(6), flags: 0, proof: Buffer.alloc(0) },
      ...{ blockCompressed: Buffer.of(2, 0, 0, 0, 9), isLink: false },
    })
  const { client, peers } = clientOf([newer, withState])
  await expect(client.nextBlock(block(5))).rejects.toMatchObject({ code: 'no_peer_answered', notFound: 0 })
  await expect(client.findArchive(5)).rejects.toMatchObject({ code: 'no_peer_answered' })
  expect(peers[0]!.isBanned(1)).toBe(false)
})

test('archives are asked of nodes that are quick with archives', async () => {
  const archive = (start: number): Node => {
    return () => said({ kind: 'tonNode.archiveInfo', id: BigInt(start) })
  }
  const { client, peers } = clientOf([archive(8_901), archive(8_950)])
  for (let i = 0; i < 20; i++) peers[0]!.answered('archive', 60_000, 2 << 20)
  expect((await client.findArchive(9_000)).start).toBe(8_950)
})

test('a node that was quick with other things before a restart is no archive for that', async () => {
  let asked = 0
  const without: Node = () => {
    asked++
    return said({ kind: 'tonNode.archiveNotFound' })
  }
  const nodes = [without, () => said({ kind: 'tonNode.archiveInfo', id: 8_950n })]
  const { client, peers } = clientOf(nodes)
  peers[1]!.answered('archive', 500, 2 << 20)
  for (let i = 0; i < 20; i++) expect((await client.findArchive(9_000)).start).toBe(8_950)
  expect(asked).toBe(0)
})

test('an archive that comes far more slowly than others is begun again elsewhere, once', async () => {
  let now = 0
  const file = Buffer.alloc(7 << 20)
  /** Milliseconds for each piece. */
  const archive =
    (pieceMs: number): Node =>
    (query) => {
      if (query.kind !== 'tonNode.getArchiveSlice') return said({ kind: 'tonNode.archiveInfo', id: 8_950n })
      now += pieceMs
      return file.subarray(Number(query.offset), Number(query.offset) + query.maxSize)
    }
  const nodes = [archive(10)]
  const { client } = clientOf(nodes, () => now)
  const download = async () => {
    let size = 0
    for await (const piece of (await client.findArchive(9_000)).pieces()) size += piece.length
    return size
  }
  expect(await download()).toBe(file.length)
  nodes[0] = archive(1_000)
  await expect(download()).rejects.toThrow('comes too slowly')
  // Nobody else has it.
  expect(await download()).toBe(file.length)
})

test('nodes are silent behind the end of an archive, which is no failure of theirs', async () => {
  const file = Buffer.alloc(5 << 20)
  let asked = 0
  const archive: Node = (query) => {
    if (query.kind !== 'tonNode.getArchiveSlice') return said({ kind: 'tonNode.archiveInfo', id: 8_950n })
    asked++
    const offset = Number(query.offset)
    if (offset > file.length) return new Promise(() => {})
    return file.subarray(offset, offset + query.maxSize)
  }
  const { client, peers } = clientOf([archive])
  const [peer] = peers
  peer!.answered('archive', 100, 0)
  const idle = peer!.cost('archive')
  let size = 0
  for await (const piece of (await client.findArchive(9_000)).pieces()) size += piece.length
  expect([size, asked]).toEqual([file.length, 4])
  await expect.poll(() => [peer!.rank(1), peer!.cost('archive') <= idle]).toEqual([0, true])
  expect(client.queryCounts.archive).toEqual({ answered: 3, unanswered: 0 })
})

/** Nodes that answer when the test says so, and what each was asked. */
function heldNodes(count: number) {
  const asked: { readonly node: number; readonly seqno: number; answer(): void }[] = []
  const bytes = (seqno: number) => Buffer.from(`block ${seqno}`)
  const idOf = (seqno: number) => ({ ...block(seqno), fileHash: hash('sha256', bytes(seqno), 'buffer') })
  const node =
    (index: number): Node =>
    (query) => {
      if (query.kind !== 'tonNode.downloadBlock') return silence()
      const { seqno } = query.block
      return new Promise((resolve) => asked.push({ node: index, seqno, answer: () => resolve(bytes(seqno)) }))
    }
  const { client, peers } = clientOf(Array.from({ length: count }, (_, index) => node(index)))
  const slow = { meanMs: 60_000, failures: 0, rate: 0, bannedUntil: 0 }
  for (const peer of peers) for (let i = 0; i < 40; i++) peer.restore(slow, 0, 0)
  return { client, asked, idOf }
}

test('nodes get few queries at a time, the head a few more, and the others follow in order', async () => {
  const { client, asked, idOf } = heldNodes(2)
  const found: number[] = []
  const history = Array.from({ length: 30 }, (_, seqno) =>
    client.block(idOf(seqno)).then(() => void found.push(seqno)),
  )
  const head = client.block(idOf(99), { urgent: true })
  await settled()
  const seqnos = () => asked.map(({ seqno }) => seqno)
  expect(seqnos()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 99])
  for (const node of [0, 1]) expect(asked.filter((one) => one.node === node).length).toBeLessThan(6)
  asked[8]!.answer()
  expect(await head).toBeDefined()
  expect(seqnos().slice(9)).toEqual([])
  asked[3]!.answer()
  await settled()
  expect(seqnos().slice(9)).toEqual([8])
  for (let i = 0; i < asked.length; i++) {
    asked[i]!.answer()
    await settled()
  }
  await Promise.all(history)
  expect(found).toHaveLength(30)
  // Nothing was asked twice.
  expect(asked).toHaveLength(31)
})

test('a second node is asked for what is late only when nothing else waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { client, asked, idOf } = heldNodes(2)
    for (let seqno = 0; seqno < 10; seqno++) void client.block(idOf(seqno))
    vi.advanceTimersByTime(1_500)
    await settled()
    expect(asked.map(({ seqno }) => seqno)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    for (let i = 0; i < 3; i++) {
      asked[i]!.answer()
      await settled()
    }
    expect(asked.slice(8).map(({ seqno }) => seqno < 8)).toEqual([false, false, true])
  } finally {
    vi.useRealTimers()
  }
})

test('who has waited long for a node finds out that it is busy, at the head sooner', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { client, idOf } = heldNodes(1)
    for (let seqno = 0; seqno < 8; seqno++) void client.block(idOf(seqno), { urgent: true })
    const outcomes: string[] = []
    for (const urgent of [true, false])
      client.block(idOf(8), { urgent }).catch((error) => outcomes.push(`${urgent}: ${error.message}`))
    const busy = 'tonNode.downloadBlock: all nodes are busy with other queries'
    vi.advanceTimersByTime(10_001)
    await settled()
    expect(outcomes).toEqual([`true: ${busy}`])
    vi.advanceTimersByTime(50_000)
    await settled()
    expect(outcomes).toEqual([`true: ${busy}`, `false: ${busy}`])
  } finally {
    vi.useRealTimers()
  }
})

test('one distant node gives history as quickly as it may be asked', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    let [open, most] = [0, 0]
    const distant: Node = (query) => {
      if (query.kind !== 'tonNode.downloadBlock') return silence()
      most = Math.max(most, ++open)
      const bytes = Buffer.from(`block ${query.block.seqno}`)
      return new Promise((resolve) =>
        setTimeout(() => {
          open--
          resolve(bytes)
        }, 300),
      )
    }
    const { client } = clientOf([distant], () => Date.now())
    let found = 0
    for (let seqno = 0; seqno < 600; seqno++) {
      const fileHash = hash('sha256', Buffer.from(`block ${seqno}`), 'buffer')
      void client.block({ ...block(seqno), fileHash }).then(() => found++)
    }
    for (let ms = 0; ms < 10_000; ms += 50) await vi.advanceTimersByTimeAsync(50)
    // With 4 at a time it would be 133. Nodes refuse more than 72 per second.
    expect(found / 10).toBeGreaterThan(35)
    expect(most / 0.3).toBeLessThan(72)
  } finally {
    vi.useRealTimers()
  }
})

test('history of an only node near by, silent beyond its limit, leaves enough for the head', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const begun: number[] = []
    const after = <T>(
      ms: number,
      act: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
    ) => new Promise<T>((resolve, reject) => setTimeout(() => act(resolve, reject), ms))
    const near: Node = (query) => {
      if (query.kind !== 'tonNode.downloadBlock') return silence()
      const now = Date.now()
      while (begun[0]! <= now - 1_000) begun.shift()
      if (begun.length >= 72) return after(4_000, (_, reject) => reject(new Error('no answer')))
      begun.push(now)
      return after(5, (resolve) => resolve(Buffer.from(`block ${query.block.seqno}`)))
    }
    const { client } = clientOf([near], () => Date.now())
    const ask = (seqno: number, urgent: boolean) => {
      const fileHash = hash('sha256', Buffer.from(`block ${seqno}`), 'buffer')
      return client.block({ ...block(seqno), fileHash }, { urgent })
    }
    const found = { history: 0, head: 0 }
    const startedAt = Date.now()
    for (let seqno = 0; seqno < 1_000; seqno++)
      ask(seqno, false).then(
        () => void found.history++,
        () => {},
      )
    for (let ms = 0; ms < 20_000; ms += 50) {
      // Two shard blocks and a masterchain block each.
      if (ms > 8_000 && ms % 400 === 0)
        for (let i = 0; i < 3; i++)
          ask(10_000 + ms + i, true).then(
            () => void (Date.now() - startedAt - ms < 200 && found.head++),
            () => {},
          )
      await vi.advanceTimersByTimeAsync(50)
    }
    // Of 87.
    expect(found.head).toBeGreaterThan(83)
    expect(found.history / 20).toBeGreaterThan(35)
  } finally {
    vi.useRealTimers()
  }
})

test('nodes that send slowly on purpose hold nobody up for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const id = { ...block(6), fileHash: hash('sha256', Buffer.from('a block'), 'buffer') }
    let asked = 0
    const dripping: Node = () => {
      asked++
      return new Promise(() => {})
    }
    const good: Node = () =>
      said({
        ...{ kind: 'tonNode.dataFull', id, block: Buffer.from('a block') },
        ...{ proof: Buffer.alloc(0), isLink: false },
      })
    const nodes = [dripping, dripping, dripping, dripping, dripping, good]
    const { client, peers } = clientOf(nodes, () => Date.now())
    for (const [index, peer] of peers.entries())
      for (let i = 0; i < 40; i++) peer.answered('block', index < 5 ? 10 : 60, 0)
    const startedAt = Date.now()
    let tookMs: number | undefined
    const found = client.nextBlock(block(5)).finally(() => (tookMs = Date.now() - startedAt))
    for (let ms = 0; ms < 10_000 && tookMs === undefined; ms += 10) await vi.advanceTimersByTimeAsync(10)
    expect(tookMs).toBeLessThan(4_000)
    expect([(await found)?.id, asked]).toEqual([id, 5])
  } finally {
    vi.useRealTimers()
  }
})

test('what waits for busy nodes is not asked of those that rest instead', async () => {
  const answers: (() => void)[] = []
  const bytes = (seqno: number) => Buffer.from(`block ${seqno}`)
  let silences = 0
  const good: Node = (query) =>
    query.kind === 'tonNode.downloadBlock'
      ? new Promise((resolve) => answers.push(() => resolve(bytes(query.block.seqno))))
      : silence()
  const resting: Node = () => {
    silences++
    return silence()
  }
  const { client, peers } = clientOf([good, ...Array.from({ length: 5 }, () => resting)])
  for (const peer of peers.slice(1)) for (let i = 0; i < 5; i++) peer.failed(0)
  peers[0]!.answered('block', 60_000, 0)
  const found = Array.from({ length: 20 }, (_, seqno) =>
    client.block({ ...block(seqno), fileHash: hash('sha256', bytes(seqno), 'buffer') }),
  )
  for (let i = 0; i < 20; i++) {
    await settled()
    answers.shift()!()
  }
  expect(await Promise.all(found)).toHaveLength(20)
  expect(silences).toBe(0)
})

test('that a node is busy does not mean that no node has an archive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const without: Node = () => said({ kind: 'tonNode.archiveNotFound' })
    const { client, peers } = clientOf([() => new Promise(() => {}), without])
    peers[1]!.failed(0)
    for (let seqno = 0; seqno < 4; seqno++) void client.block(block(seqno)).catch(() => {})
    await settled()
    const outcome = client.findArchive(100).catch((error) => error)
    await settled()
    vi.advanceTimersByTime(60_001)
    expect(await outcome).toMatchObject({
      ...{ notFound: 0, message: expect.stringContaining('all nodes are busy') },
    })
  } finally {
    vi.useRealTimers()
  }
})

test('what is late is asked of a second node whenever that has become free', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { client, asked, idOf } = heldNodes(2)
    for (let seqno = 0; seqno < 8; seqno++) void client.block(idOf(seqno))
    await settled()
    vi.advanceTimersByTime(61_500)
    await settled()
    for (const one of asked.filter(({ node }) => node === 1)) {
      one.answer()
      await settled()
    }
    const late = asked.slice(0, 8).filter(({ node }) => node === 0)
    expect(asked.slice(8).map(({ node, seqno }) => [node, seqno])).toEqual(
      late.map(({ seqno }) => [1, seqno]),
    )
  } finally {
    vi.useRealTimers()
  }
})
