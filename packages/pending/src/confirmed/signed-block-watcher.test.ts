import { sameBlock } from '@shardwalk/model'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { externalMessages } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import { loadMessage } from '@shardwalk/tlb'
import { afterAll, expect, test } from 'vitest'
import type { Offer, SignedSource } from './ask-signed.ts'
import { messageName } from './confirmed-transaction.ts'
import type { SignedBlock } from './signed-block.ts'
import { SignedBlockWatcher, type WatcherOptions } from './signed-block-watcher.ts'

const FINAL = 241
const recording = await Recording.open('fixtures/chain')
afterAll(() => recording.close())

const [IDLE, BUSY] = [1_000, 250]
const stepOf = (seqno: number) => recording.step(seqno)!
const readBlock = async (id: { readonly rootHash: Buffer }): Promise<Buffer> => {
  for (let seqno = FINAL - 5; seqno < FINAL + 20; seqno++)
    for (const block of stepOf(seqno).shards)
      if (block.id.rootHash.equals(id.rootHash)) return recording.read(block)
  throw new Error('not one of these blocks')
}

/** Messages that the first block after the final one receives. */
const [message] = await (async () => {
  const found: Buffer[] = []
  for (const block of stepOf(FINAL + 1).shards) {
    const cells = externalMessages({ id: block.id, bytes: await recording.read(block) })
    for (const cell of cells) found.push(Buffer.from(messageName(loadMessage(cell.slice())), 'base64'))
  }
  return found
})()

/** A lite server, and a clock of its own: the watcher looks when the test says so. */
class Simulation {
  now = 0
  readonly asked: string[] = []
  readonly read: string[] = []
  readonly faults: string[] = []
  readonly found: Buffer[][] = []
  readonly received: SignedBlock[] = []
  servers: readonly string[] = ['a:1']
  awaited: readonly Buffer[] = []
  isListening = false
  final = FINAL
  /** The newest step whose blocks are signed. */
  signed = FINAL
  readBlock = readBlock
  readonly watcher: SignedBlockWatcher

  constructor() {
    const options: WatcherOptions = {
      ...{ log: silentLogger, metrics: noMetrics, signal: new AbortController().signal },
      source: () => this.source,
      awaited: async () => this.awaited,
      onFound: async (messages) => void this.found.push([...messages]),
      now: () => this.now,
    }
    this.watcher = new SignedBlockWatcher(options)
    this.watcher.listen({
      isListening: () => this.isListening,
      take: (block) => this.received.push(block),
    })
  }

  private get source(): SignedSource {
    const { servers } = this
    return {
      servers,
      ask: async (server) => {
        this.asked.push(server)
        return this.offers
      },
      tops: async () => stepOf(this.final).shardTops,
      report: (server, fault) => this.faults.push(`${server} ${fault}`),
    }
  }

  private get offers(): Offer[] {
    const read: Offer['read'] = (id) => {
      this.read.push(id.rootHash.toString('hex'))
      return this.readBlock(id)
    }
    return stepOf(this.signed).shardTops.map((id) => ({ id, read }))
  }

  /** Time passes, and the watcher looks as often as it says. */
  async pass(ms: number): Promise<void> {
    for (const end = this.now + ms; this.now < end; ) this.now += await this.watcher.poll()
  }
}

const blocksOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => stepOf(from + i).shards)
    .flat()
    .map(({ id }) => id.rootHash.toString('hex'))
const namesOf = (blocks: readonly SignedBlock[]) => blocks.map(({ id }) => id.rootHash.toString('hex'))

test('without a server that reports signed blocks, or a reason, nothing is asked', async () => {
  const one = new Simulation()
  one.signed = FINAL + 2
  expect(await one.watcher.poll()).toBe(IDLE)
  one.servers = []
  one.awaited = [message!]
  await one.pass(10 * IDLE)
  expect([one.asked, one.now]).toEqual([[], 10 * IDLE])
})

test('while a message is awaited, servers are asked in turn, four times a second', async () => {
  const one = new Simulation()
  one.servers = ['a:1', 'b:2']
  one.awaited = [message!]
  await one.pass(1_000)
  expect(one.asked).toEqual(['a:1', 'b:2', 'a:1', 'b:2'])
  expect([one.found, one.watcher.confirmed.size]).toEqual([[], 0])
  one.signed = FINAL + 1
  await one.pass(BUSY)
  expect(one.found).toEqual([[message]])
  // Not at every look again, but soon if whoever was woken died.
  await one.pass(2_000)
  expect(one.found).toHaveLength(1)
  await one.pass(2 * BUSY)
  expect(one.found).toHaveLength(2)
})

test('who listens receives every block once, after those before it, pending messages or not', async () => {
  const one = new Simulation()
  one.isListening = true
  one.signed = FINAL + 3
  await one.pass(2_000)
  expect([...namesOf(one.received)].sort()).toEqual(blocksOf(FINAL + 1, FINAL + 3).sort())
  for (const [index, { prev }] of one.received.entries())
    for (const before of prev) {
      const at = one.received.findIndex(({ id }) => id.rootHash.equals(before.rootHash))
      expect(at).toBeLessThan(index)
    }
  expect(one.read).toHaveLength(one.received.length)
  one.final = one.signed
  one.signed = FINAL + 4
  await one.pass(BUSY)
  expect(
    namesOf(one.received)
      .slice(-stepOf(FINAL + 4).shards.length)
      .sort(),
  ).toEqual(blocksOf(FINAL + 4, FINAL + 4).sort())
})

test('blocks are forgotten after a minute, when they must be final', async () => {
  const one = new Simulation()
  one.isListening = true
  one.signed = FINAL + 1
  await one.pass(BUSY)
  const kept = one.watcher.confirmed.size
  expect(kept).toBe(stepOf(FINAL + 1).shards.length)
  one.final = one.signed
  await one.pass(60_000)
  one.signed = FINAL + 2
  await one.pass(BUSY)
  expect(one.watcher.confirmed.size).toBe(stepOf(FINAL + 2).shards.length)
})

test('neither false bytes nor blocks that lead to none that is final are read again', async () => {
  const one = new Simulation()
  one.awaited = [message!]
  one.signed = FINAL + 1
  one.readBlock = async (id) => {
    const bytes = Buffer.from(await readBlock(id))
    bytes[bytes.length >> 1]! ^= 1
    return bytes
  }
  await one.pass(2_000)
  const tops = stepOf(FINAL + 1).shardTops.filter(
    (top) => !stepOf(FINAL).shardTops.some((it) => sameBlock(it, top)),
  )
  expect(one.faults).toHaveLength(tops.length)
  expect(one.faults[0]).toMatch(/^a:1 a signed block: .*file_hash/)
  expect(one.read).toHaveLength(one.faults.length)

  const other = new Simulation()
  other.awaited = [message!]
  other.signed = FINAL + 18
  await other.pass(2_000)
  expect([other.watcher.confirmed.size, other.found, other.faults]).toEqual([0, [], []])
  const count = other.read.length
  await other.pass(2_000)
  expect(other.read).toHaveLength(count)
})

test('a server three of whose blocks were replaced is not asked for ten minutes', async () => {
  const one = new Simulation()
  one.isListening = true
  one.signed = FINAL + 3
  await one.pass(BUSY)
  one.watcher.confirmed.replaced(one.received.slice(0, 2).map(({ id }) => id))
  expect(one.watcher.servers).toEqual(['a:1'])
  one.watcher.confirmed.replaced(one.received.slice(2, 3).map(({ id }) => id))
  expect(one.watcher.servers).toEqual([])
  const asked = one.asked.length
  await one.pass(599_000)
  expect(one.asked).toHaveLength(asked)
  await one.pass(2_000)
  expect(one.asked.length).toBeGreaterThan(asked)
})
