// Measures how many bodies of the recorded mainnet traces are decoded per second:
// node --import tsx packages/contracts/bench/real-bodies.bench.ts
import { decodeBody } from '../src/index.ts'
import { traceMessages } from '../test/trace-fixtures.ts'

const bodies = [...traceMessages()].map(({ body }) => body)
for (const round of ['cold', 'warm', 'warm', 'warm']) {
  const start = performance.now()
  let decoded = 0
  for (const body of bodies) if (decodeBody({ body })) decoded++
  const milliseconds = performance.now() - start
  const each = ((milliseconds * 1000) / bodies.length).toFixed(1)
  console.log(`${round}: ${bodies.length} bodies, ${decoded} decoded, ${each} us each`)
}
