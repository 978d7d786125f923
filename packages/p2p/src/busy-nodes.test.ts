import { hash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { block, clientOf, type Node, said, settled, silence } from '../test/made-up-nodes.ts'

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
