// Cost of the pool itself: small blocks through the pool from two servers on loopback, in the same process.
// Command: node --import tsx packages/liteserver/bench/pool.bench.ts
import { LiteServerPool } from '../src/index.ts'
import { FakeLiteServer, idOf } from '../test/fake-chain.ts'

const COUNT = 20_000
const servers = await Promise.all([new FakeLiteServer(COUNT).start(), new FakeLiteServer(COUNT).start()])
const pool = new LiteServerPool({ servers: servers.map((s) => s.address) })
await pool.getBlock(idOf(1))

for (const lanes of [1, 16, 64]) {
  let next = 1
  const cpu = process.cpuUsage()
  const start = performance.now()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next <= COUNT / 4) await pool.getBlock(idOf(next++))
    }),
  )
  const ms = performance.now() - start
  const used = process.cpuUsage(cpu)
  const perQuery = (used.user + used.system) / (COUNT / 4)
  const rate = ((COUNT / 4 / ms) * 1000).toFixed(0)
  console.log(`${lanes} at a time: ${rate} blocks/s, ${perQuery.toFixed(0)} us CPU each (both sides)`)
}
await pool.close()
await Promise.all(servers.map((s) => s.stop()))
