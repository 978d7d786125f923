import { testSeed } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { type AdnlFaults, LiteServerPool, type QueryFault } from '../src/index.ts'
import { FakeLiteServer, fileOf, idOf } from './fake-chain.ts'
import { randomFrom } from './simulation.ts'

const FAULTS: readonly QueryFault[] = [
  { kind: 'delay', ms: 15 },
  { kind: 'close' },
  { kind: 'bad-checksum' },
  { kind: 'duplicate' },
  { kind: 'error', code: 651, message: 'block is not in db' },
  { kind: 'error', code: -503, message: 'timeout' },
  { kind: 'error', code: 429, message: 'slow down' },
  { kind: 'answer', bytes: Buffer.from('6ced74a5', 'hex') },
]

test('every block arrives intact from five servers that fail often and in every way', async () => {
  const seed = testSeed()
  console.log(`turmoil seed ${seed}`)
  const random = randomFrom(seed)
  const servers = await Promise.all(Array.from({ length: 5 }, () => new FakeLiteServer(300).start()))
  const pool = new LiteServerPool({ servers: servers.map((s) => s.address), random })
  try {
    await expect.poll(() => pool.readyServers().length).toBe(5)
    const faults: AdnlFaults = {
      onQuery: () => (random() < 0.12 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined),
    }
    for (const server of servers) server.adnl.faults = faults
    const breaker = setInterval(() => servers[Math.floor(random() * 5)]!.adnl.dropConnections(), 100)
    const seqnos = Array.from({ length: 300 }, (_, i) => i + 1)
    const blocks = await Promise.all(
      seqnos.map((seqno) => pool.getBlock(idOf(seqno), { timeoutMs: 30_000, urgent: seqno % 3 === 0 })),
    )
    clearInterval(breaker)
    expect(blocks.every((bytes, i) => bytes.equals(fileOf(seqnos[i]!)))).toBe(true)
    await expect
      .poll(() => pool.servers().reduce((sum, s) => sum + s.inFlight, 0), { timeout: 10_000 })
      .toBe(0)
  } finally {
    await pool.close()
    await Promise.all(servers.map((s) => s.stop()))
  }
})
