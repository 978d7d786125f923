// Attacks a running API on this machine: docs/security.md.
//   npm run attack -- [--url http://127.0.0.1:8081] [--requests 20000] [--concurrency 32] [--seed 1]
//                     [--slow-clients 20] [--metrics http://127.0.0.1:8085/metrics]
import { parseArgs } from 'node:util'
import { attack } from './attack.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8081' },
    requests: { type: 'string', default: '20000' },
    concurrency: { type: 'string', default: '32' },
    seed: { type: 'string', default: '1' },
    'slow-clients': { type: 'string', default: '20' },
    metrics: { type: 'string' },
  },
})

/** Resident memory of the API in MiB, if it serves metrics. */
async function memory(): Promise<string> {
  if (values.metrics === undefined) return 'unknown, give --metrics'
  const text = await (await fetch(values.metrics)).text()
  const bytes = /^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]
  return bytes ? `${Math.round(Number(bytes) / 1_048_576)} MiB` : 'not in the metrics'
}

const before = await memory()
const start = performance.now()
const report = await attack({
  url: values.url,
  requests: Number(values.requests),
  concurrency: Number(values.concurrency),
  seed: Number(values.seed),
  slowClients: Number(values['slow-clients']),
})
const seconds = (performance.now() - start) / 1000
const { count, p50, p99, failed } = report.probe
console.log(`${values.requests} requests in ${seconds.toFixed(1)} s, seed ${values.seed}`)
for (const [status, number] of [...report.statuses].sort(([a], [b]) => a - b))
  console.log(`  ${status}: ${number}`)
console.log(`  no answer: ${report.unanswered}`)
console.log(`probe: ${count} times, ${failed} failed, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
console.log(`memory of the API: ${before} before, ${await memory()} after`)
for (const line of report.undocumented) console.log(`undocumented: ${line}`)
process.exit(report.undocumented.length === 0 && report.unanswered === 0 ? 0 : 1)
