// Measures the CPU time of this process per statement, alternately with and without timing of statements.
//   node --import tsx packages/db/bench/query-metrics.bench.ts [statements per round, default 20000]
import { createDb } from '@shardwalk/db'
import { createMetrics } from '@shardwalk/observability'
import { scratchDatabase } from '@shardwalk/testkit'

const statements = Number(process.argv[2] ?? 20_000)
const scratch = await scratchDatabase()
const plain = createDb({ url: scratch.url, max: 4 })
const timed = createDb({ url: scratch.url, max: 4, metrics: createMetrics() })
const best = { plain: Number.POSITIVE_INFINITY, timed: Number.POSITIVE_INFINITY }
for (let round = 0; round < 6; round++) {
  best.plain = Math.min(best.plain, await cost(plain))
  best.timed = Math.min(best.timed, await cost(timed))
}
const share = (100 * (best.timed - best.plain)) / best.plain
console.log(
  `plain ${best.plain.toFixed(1)} µs, timed ${best.timed.toFixed(1)} µs of processor time a statement: ` +
    `${share.toFixed(1)} % of the smallest statement there is`,
)
await Promise.all([plain.close(), timed.close()])
await scratch.close()

async function cost({ pool }: ReturnType<typeof createDb>): Promise<number> {
  const before = process.cpuUsage()
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let i = 0; i < statements / 4; i++)
        await pool.query('select code_hash from codes where code_hash = $1', [Buffer.alloc(32)])
    }),
  )
  const { user, system } = process.cpuUsage(before)
  return (user + system) / statements
}
