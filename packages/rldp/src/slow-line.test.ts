import { restoreBlock } from '@shardwalk/raptorq'
import { TestClock } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { MemoryBudget, type QueryOptions, Rldp } from './index.ts'

const TICK_MS = 5

/** Two ends joined by a line that carries one datagram in each direction every `everyMs`; the others wait. */
class SlowLine {
  readonly clock = new TestClock()
  readonly client: Rldp
  readonly server: Rldp
  /** Datagrams of the server, until now. */
  sent = 0
  /** Whether what the server sends is lost. */
  isDeaf = false
  private readonly toClient: Buffer[] = []
  private readonly toServer: Buffer[] = []
  private ids = 0

  constructor(
    private readonly everyMs: number,
    answer: Buffer,
  ) {
    const { clock } = this
    const random = (length: number) => Buffer.alloc(length, (this.ids += 1))
    const restore = async (symbols: Parameters<typeof restoreBlock>[0]) => restoreBlock(symbols)
    const common = { clock, random, memory: new MemoryBudget(), restoreBlock: restore }
    this.client = new Rldp({ ...common, send: (data) => this.toServer.push(data) })
    const send = (data: Buffer) => {
      this.sent++
      if (!this.isDeaf) this.toClient.push(data)
    }
    this.server = new Rldp({ ...common, send, onQuery: async () => answer })
  }

  ask(options: Partial<QueryOptions>): { readonly outcome: string | undefined } {
    const asked: { outcome: string | undefined } = { outcome: undefined }
    this.client.query(Buffer.of(1), { maxAnswerSize: 4 << 20, timeoutMs: 2_000, ...options }).then(
      (answer) => (asked.outcome = `${answer.length} bytes`),
      (error) => (asked.outcome = error.message),
    )
    return asked
  }

  async pass(ms: number, until = () => false): Promise<void> {
    for (const end = this.clock.now() + ms; this.clock.now() < end && !until(); this.clock.advance(1)) {
      const now = this.clock.now()
      if (now % this.everyMs === 0) {
        const [toClient, toServer] = [this.toClient.shift(), this.toServer.shift()]
        if (toClient) this.client.receive(toClient)
        if (toServer) this.server.receive(toServer)
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (now % TICK_MS !== 0) continue
      this.client.tick()
      this.server.tick()
    }
  }
}

test('an answer is not given up at its time limit while it comes as quickly as the line allows', async () => {
  const line = new SlowLine(15, Buffer.alloc(200_000, 7))
  const asked = line.ask({ timeoutMs: 2_000 })
  await line.pass(20_000, () => asked.outcome !== undefined)
  expect(asked.outcome).toBe('200000 bytes')
  expect(line.clock.now()).toBeGreaterThan(3_500)
})

test('an answer that comes more slowly than anybody can use ends', async () => {
  const line = new SlowLine(250, Buffer.alloc(200_000, 7))
  const asked = line.ask({ timeoutMs: 2_000 })
  await line.pass(4_000, () => asked.outcome !== undefined)
  expect(asked.outcome).toBe('no complete answer in time')
})

test('who hears nothing of a receiver sends it little, and goes on when it does', async () => {
  const line = new SlowLine(1, Buffer.alloc(100_000, 7))
  line.isDeaf = true
  const asked = line.ask({ timeoutMs: 30_000 })
  await line.pass(2_000)
  const before = line.sent
  await line.pass(10_000)
  expect(line.sent - before).toBeLessThan(40)
  line.isDeaf = false
  await line.pass(4_000, () => asked.outcome !== undefined)
  expect(asked.outcome).toBe('100000 bytes')
})

test('a sender whose answer has not arrived before its query ended stops too', async () => {
  const line = new SlowLine(1, Buffer.alloc(100_000, 7))
  line.isDeaf = true
  const asked = line.ask({ timeoutMs: 1_000 })
  await line.pass(1_500)
  expect([asked.outcome, line.server.isIdle]).toEqual(['no complete answer in time', true])
})

test('a sender that has much under way is told once that its query has ended', async () => {
  const line = new SlowLine(1, Buffer.alloc(100_000, 7))
  const unwanted = new AbortController()
  line.ask({ signal: unwanted.signal })
  await line.pass(20)
  unwanted.abort(new Error('unwanted'))
  const told: number[] = []
  const receive = line.server.receive.bind(line.server)
  line.server.receive = (data) => {
    told.push(line.clock.now())
    return receive(data)
  }
  await line.pass(100)
  expect(told.length).toBeGreaterThan(0)
  expect(told.length).toBeLessThan(20)
})

test('an answer that somebody else was quicker with ends as soon as it begins, not before', async () => {
  const line = new SlowLine(1, Buffer.alloc(100_000, 7))
  const enough = new AbortController()
  enough.abort(new Error('another was quicker'))
  const asked = line.ask({ enough: enough.signal })
  line.isDeaf = true
  await line.pass(1_000)
  expect(asked.outcome).toBeUndefined()
  line.isDeaf = false
  await line.pass(3_000)
  expect([asked.outcome, line.client.isIdle, line.server.isIdle]).toEqual(['another was quicker', true, true])
})
