// Decodes a million random bodies:
// node --import tsx packages/contracts/bench/hostile-bodies.bench.ts [count] [seed]

import { randomFrom } from '@shardwalk/testkit'
import { decodeCell } from '../src/index.ts'
import { hostileBody } from '../test/hostile-bodies.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const seed = Number(process.argv[3] ?? 1)
const random = randomFrom(seed)
const outcomes = new Map<string, number>()
let spent = 0
let slowest = 0
for (let i = 0; i < count; i++) {
  const body = hostileBody(random)
  const start = performance.now()
  const result = decodeCell(body)
  const time = performance.now() - start
  spent += time
  slowest = Math.max(slowest, time)
  outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1)
}
console.log(`seed ${seed}: ${count} bodies, ${JSON.stringify(Object.fromEntries(outcomes))}`)
console.log(`${((spent * 1000) / count).toFixed(1)} us each, slowest ${slowest.toFixed(1)} ms, no error`)
