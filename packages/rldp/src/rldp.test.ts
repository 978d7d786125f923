import { hash } from 'node:crypto'
import { restoreBlock } from '@shardwalk/raptorq'
import { peerFixture, randomFrom, shuffled, TestClock } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { decodeUnion, encodeUnion, type Rldp2Datagram, rldp2Datagram, rldpMessage } from '@shardwalk/tl'
import { describe, expect, test } from 'vitest'
import { newRldpCounts } from './counts.ts'
import { IncomingTransfer } from './incoming-transfer.ts'
import { MemoryBudget, Rldp } from './index.ts'
import type { RldpOptions } from './rldp.ts'

const SEED = testSeed()

interface Head {
  readonly from: string
  readonly to: string
  readonly queryTransferId: string
  readonly answerTransferId: string
  readonly rldpQueryTl: string
  readonly totalSize: number
  readonly parts: readonly { readonly K: number }[]
  readonly answerObjectSha256: string
}
interface Line {
  readonly from: string
  readonly data: string
  readonly dropped?: boolean
}
interface Recorded {
  readonly head: Head
  readonly datagrams: readonly (Rldp2Datagram & { readonly from: string; readonly dropped: boolean })[]
}

function recorded(name: string): Recorded {
  const [head, ...lines] = peerFixture<Head & Line>(name)
  const datagrams = lines.map(({ from, data, dropped = false }) => ({
    ...decodeUnion(rldp2Datagram, Buffer.from(data, 'base64')),
    from,
    dropped,
  }))
  return { head: head!, datagrams }
}

const restore = async (symbols: Parameters<typeof restoreBlock>[0]) => restoreBlock(symbols)
const sha256 = (bytes: Buffer): string => hash('sha256', bytes, 'hex')
const hex = (text: string) => Buffer.from(text, 'hex')

/** Lets decoders finish, which are asynchronous. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

async function receiveAll(head: Head, symbols: readonly Rldp2Datagram[]) {
  const memory = new MemoryBudget()
  const counts = newRldpCounts()
  const sent: Rldp2Datagram[] = []
  const id = hex(head.answerTransferId)
  const transfer = new IncomingTransfer({
    id,
    maxSize: head.totalSize,
    restoreBlock: restore,
    memory,
    counts,
    send: (datagram) => sent.push(datagram),
  })
  for (const datagram of symbols) {
    if (datagram.kind !== 'rldp2.messagePart' || !datagram.transferId.equals(id)) continue
    transfer.receive(datagram, 0)
    await settle()
  }
  return { transfer, sent, memory, counts }
}

const TRANSFERS = [
  'rldp2-one-symbol',
  'rldp2-two-symbols',
  'rldp2-small',
  'rldp2-medium',
  'rldp2-two-parts',
  'rldp2-loss-small',
  'rldp2-loss-prime-p',
  'rldp2-loss-large',
]

describe.each(TRANSFERS)('the recorded transfer %s', (name) => {
  const { head, datagrams } = recorded(name)
  const answer = datagrams.filter(
    (datagram) =>
      datagram.kind === 'rldp2.messagePart' && datagram.transferId.equals(hex(head.answerTransferId)),
  )

  test('is put together from what arrived', async () => {
    const { transfer, sent, memory, counts } = await receiveAll(
      head,
      answer.filter(({ dropped }) => !dropped),
    )
    expect(sha256(await transfer.message)).toBe(head.answerObjectSha256)
    const completed = new Set(sent.filter(({ kind }) => kind === 'rldp2.complete').map(({ part }) => part))
    expect(completed.size).toBe(head.parts.length)
    expect(memory.inUse).toBe(0)
    if (name.includes('loss')) expect(counts.repair).toBeGreaterThan(0)
  })

  test('carries the answer to its query', async () => {
    const { transfer } = await receiveAll(head, answer)
    const query = decodeUnion(rldpMessage, Buffer.from(head.rldpQueryTl, 'base64'))
    const reply = decodeUnion(rldpMessage, await transfer.message)
    expect(query.kind === 'rldp.query' && reply.kind === 'rldp.answer' && reply.queryId).toEqual(
      query.kind === 'rldp.query' && query.queryId,
    )
  })
})

test('transfers are put together in any order, whatever is lost while enough symbols remain', async () => {
  const random = randomFrom(SEED)
  for (const name of ['rldp2-medium', 'rldp2-loss-small', 'rldp2-loss-prime-p', 'rldp2-loss-large']) {
    const { head, datagrams } = recorded(name)
    const id = hex(head.answerTransferId)
    const distinct = new Map<number, Rldp2Datagram>()
    for (const datagram of datagrams)
      if (datagram.kind === 'rldp2.messagePart' && datagram.transferId.equals(id))
        distinct.set(datagram.seqno, datagram)
    const count = head.parts[0]!.K
    const kept = shuffled([...distinct.values()], random).slice(0, count + 2)
    const { transfer } = await receiveAll(head, kept)
    expect(sha256(await transfer.message), `SEED=${SEED} ${name}`).toBe(head.answerObjectSha256)
  }
})

test('confirmations say what the node of the recording would', () => {
  const { head, datagrams } = recorded('rldp2-medium')
  const sent: Rldp2Datagram[] = []
  const transfer = new IncomingTransfer({
    id: hex(head.answerTransferId),
    maxSize: head.totalSize,
    restoreBlock: restore,
    memory: new MemoryBudget(),
    counts: newRldpCounts(),
    send: (datagram) => sent.push(datagram),
  })
  const parts = datagrams.filter((datagram) => datagram.kind === 'rldp2.messagePart')
  const answer = parts.filter(({ transferId }) => transferId.equals(hex(head.answerTransferId)))
  for (const datagram of answer.slice(0, 40)) if (datagram.seqno !== 35) transfer.receive(datagram, 0)
  transfer.tick(6)
  const confirms = sent.filter((datagram) => datagram.kind === 'rldp2.confirm')
  expect(confirms.map(({ maxSeqno, receivedCount }) => [maxSeqno, receivedCount])).toEqual([
    [10, 10],
    [20, 20],
    [30, 30],
    [40, 39],
  ])
  // Bit 0 is symbol 39, the newest; bit 4 is symbol 35, which is missing.
  expect(confirms.at(-1)!.receivedMask).toBe(0xffffffef)
})

test('a receiver that needs more symbols than usual, or long to decode, gets its answer', async () => {
  const clock = new TestClock()
  let refusals = 1
  const answer = Buffer.alloc(20_000, 7)
  const lossy = randomFrom(1)
  const { client, run } = pair({
    clock,
    random: lossy,
    loss: 0.2,
    onQuery: async () => answer,
    restoreBlock: async (symbols) => {
      const until = clock.now() + 4_000
      while (clock.now() < until) await settle()
      return refusals-- > 0 ? undefined : restoreBlock(symbols)
    },
  })
  let got: Buffer | undefined
  void client
    .query(Buffer.of(1), { maxAnswerSize: 1 << 20, timeoutMs: 60_000 })
    .then((bytes) => (got = bytes))
  await run(() => got !== undefined)
  expect(got?.equals(answer)).toBe(true)
  expect(refusals).toBeLessThan(0)
})

/** Two ends joined by a line that a test controls. */
function pair(options: {
  readonly clock: TestClock
  readonly random?: () => number
  readonly loss?: number
  readonly reorder?: number
  readonly onQuery?: RldpOptions['onQuery']
  readonly restoreBlock?: RldpOptions['restoreBlock']
}) {
  const { clock, random = () => 1, loss = 0, reorder = 0, onQuery } = options
  let line: (() => void)[] = []
  const memory = new MemoryBudget()
  let ids = 0
  const idOf = (length: number) => Buffer.alloc(length, (ids += 1))
  const end = (other: () => Rldp, own?: RldpOptions['onQuery']): Rldp =>
    new Rldp({
      send: (data) => {
        if (random() < loss) return
        const deliver = () => void other().receive(data)
        if (random() < reorder) line.unshift(deliver)
        else line.push(deliver)
      },
      clock,
      random: idOf,
      restoreBlock: options.restoreBlock ?? restore,
      memory,
      onQuery: own,
    })
  const client: Rldp = end(() => server)
  const server: Rldp = end(() => client, onQuery)
  const run = async (until: () => boolean, maxMs = 60_000) => {
    for (const start = clock.now(); !until() && clock.now() - start < maxMs; clock.advance(5)) {
      const now = line
      line = []
      for (const deliver of now) deliver()
      await settle()
      client.tick()
      server.tick()
    }
  }
  return { client, server, memory, run }
}

const QUERY = { maxAnswerSize: 8 << 20, timeoutMs: 30_000 }

test('a query is answered however bad the line is', async () => {
  const random = randomFrom(SEED)
  for (const [size, loss, reorder] of [
    [10, 0, 0],
    [700, 0.3, 0.3],
    [100_000, 0.3, 0.3],
    [2_500_000, 0.1, 0.3],
  ] as const) {
    const answer = Buffer.from(Uint8Array.from({ length: size }, () => random() * 256))
    const clock = new TestClock()
    const { client, server, run, memory } = pair({
      clock,
      random,
      loss,
      reorder,
      onQuery: async (query) => (query.toString() === 'question' ? answer : undefined),
    })
    const asked = client.query(Buffer.from('question'), QUERY)
    let got: Buffer | undefined
    asked.then(
      (bytes) => (got = bytes),
      () => {},
    )
    await run(() => got !== undefined)
    expect(got?.equals(answer), `SEED=${SEED} ${size} bytes`).toBe(true)
    await run(() => server.isIdle)
    expect([client.isIdle, server.isIdle, memory.inUse]).toEqual([true, true, 0])
  }
})

test('silence, stalls and answers that are too long end a query with an error that says so', async () => {
  const clock = new TestClock()
  const silent = pair({ clock, onQuery: async () => undefined })
  const unanswered = expect(silent.client.query(Buffer.of(1), QUERY)).rejects.toMatchObject({
    code: 'rldp_timeout',
  })
  await silent.run(() => silent.client.isIdle)
  await unanswered
  const long = pair({ clock, onQuery: async () => Buffer.alloc(5_000) })
  // The server honours the limit of the query, so the client's is lowered behind its back.
  const question = long.client.query(Buffer.of(1), { ...QUERY, maxAnswerSize: 1_000 })
  const refused = expect(question).rejects.toMatchObject({ code: 'rldp_timeout' })
  await long.run(() => long.client.isIdle)
  await refused
})

test('a query that is given up ends at both ends, whether its answer has begun or not', async () => {
  for (const onQuery of [async () => Buffer.alloc(5_000_000), async () => undefined]) {
    const clock = new TestClock()
    const { client, server, run, memory } = pair({ clock, onQuery })
    const unwanted = new AbortController()
    const asked = client.query(Buffer.of(1), { ...QUERY, signal: unwanted.signal })
    const refused = expect(asked).rejects.toThrow('unwanted')
    await run(() => false, 500)
    unwanted.abort(new Error('unwanted'))
    await run(() => client.isIdle && server.isIdle, 1_000)
    await refused
    expect([client.isIdle, server.isIdle, memory.inUse]).toEqual([true, true, 0])
  }
})

test('a transfer longer than was asked for is refused at its first datagram without memory', async () => {
  const { head, datagrams } = recorded('rldp2-two-parts')
  const { transfer, memory } = await receiveAll({ ...head, totalSize: 2_000_000 }, datagrams.slice(0, 40))
  await expect(transfer.message).rejects.toMatchObject({ code: 'rldp_answer_too_long' })
  expect(memory.inUse).toBe(0)
})

test('datagrams that contradict their transfer are refused by name and change nothing', async () => {
  const { head, datagrams } = recorded('rldp2-two-parts')
  const { transfer } = await receiveAll(head, [])
  const part = datagrams.find(
    (datagram) =>
      datagram.kind === 'rldp2.messagePart' && datagram.transferId.equals(hex(head.answerTransferId)),
  ) as Extract<Rldp2Datagram, { kind: 'rldp2.messagePart' }>
  const wrong = (change: Partial<typeof part>) => () => transfer.receive({ ...part, ...change }, 0)
  transfer.receive(part, 0)
  expect(wrong({ part: 2 })).toThrow(/rldp2.messagePart.part: 2 of 2/)
  expect(wrong({ part: 1 })).toThrow(/fec_type/)
  expect(wrong({ totalSize: 5n })).toThrow(/total_size/)
  expect(wrong({ fecType: { ...part.fecType, symbolsCount: 7 } })).toThrow(/fec_type/)
  expect(wrong({ fecType: { ...part.fecType, symbolSize: 4 } })).toThrow(/fec_type/)
  expect(wrong({ data: Buffer.alloc(5) })).toThrow(/data/)
  expect(wrong({ seqno: 0xffffffff })).toThrow(/seqno/)
})

test('transfers that nobody asked for hold little memory and are forgotten', async () => {
  const clock = new TestClock()
  const { server, memory, run } = pair({ clock, onQuery: async () => undefined })
  const fecType = { kind: 'fec.raptorQ', dataSize: 2_000, symbolSize: 768, symbolsCount: 3 } as const
  for (let i = 0; i < 1_000; i++)
    server.receive(
      encodeUnion(rldp2Datagram, {
        kind: 'rldp2.messagePart',
        transferId: hash('sha256', Buffer.of(i & 255, i >> 8), 'buffer'),
        fecType,
        part: 0,
        totalSize: 2_000n,
        seqno: 0,
        data: Buffer.alloc(768),
      }),
    )
  expect(memory.inUse).toBeLessThan(1 << 20)
  await run(() => server.isIdle)
  expect([server.isIdle, memory.inUse]).toEqual([true, 0])
})

test('queries that many peers begin and do not finish leave memory for answers', async () => {
  const clock = new TestClock()
  const memory = new MemoryBudget(1 << 20)
  const fecType = { kind: 'fec.raptorQ', dataSize: 2_000, symbolSize: 768, symbolsCount: 3 } as const
  const part = { kind: 'rldp2.messagePart', fecType, part: 0, totalSize: 2_000n, seqno: 0 } as const
  const peers = Array.from({ length: 10 }, () => {
    const options = { clock, restoreBlock: restore, memory, send: () => {} }
    return new Rldp({ ...options, random: (length) => Buffer.alloc(length), onQuery: async () => undefined })
  })
  for (const peer of peers)
    for (let i = 0; i < 16; i++) {
      const datagram = { ...part, transferId: Buffer.alloc(32, i), data: Buffer.alloc(768) }
      peer.receive(encodeUnion(rldp2Datagram, datagram))
    }
  expect(memory.inUse).toBeGreaterThan(0)
  expect(memory.inUse).toBeLessThanOrEqual(1 << 17)
  for (const peer of peers) peer.close()
  expect([memory.inUse, memory.unrequested.inUse]).toEqual([0, 0])
})

test('without memory for symbols a transfer waits instead of failing', async () => {
  const { head, datagrams } = recorded('rldp2-small')
  const memory = new MemoryBudget(100_000)
  expect(memory.take(99_000)).toBe(true)
  const transfer = new IncomingTransfer({
    id: hex(head.answerTransferId),
    maxSize: head.totalSize,
    restoreBlock: restore,
    memory,
    counts: newRldpCounts(),
    send: () => {},
  })
  const parts = datagrams.filter((datagram) => datagram.kind === 'rldp2.messagePart')
  const answer = parts.filter(({ transferId }) => transferId.equals(hex(head.answerTransferId)))
  for (const datagram of answer) transfer.receive(datagram, 0)
  memory.release(99_000)
  for (const datagram of answer) transfer.receive(datagram, 1)
  expect(sha256(await transfer.message)).toBe(head.answerObjectSha256)
})
