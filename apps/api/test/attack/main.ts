// Attacks the API and prints whether it withstands: docs/security.md.
//   npm run attack -- [--requests 20000] [--expensive 50] [--endless 50] [--heap 256] [--profiles FOLDER]
//                     [--concurrency 32] [--slow-clients 20] [--seed 1] [--url http://127.0.0.1:8081]
import { parseArgs } from 'node:util'
import { runAttack } from './run-attack.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    expensive: { type: 'string', default: '50' },
    endless: { type: 'string', default: '50' },
    heap: { type: 'string' },
    profiles: { type: 'string' },
    concurrency: { type: 'string', default: '32' },
    'slow-clients': { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    url: { type: 'string' },
    metrics: { type: 'string' },
  },
})

const isWell = await runAttack({
  requests: Number(values.requests),
  expensive: Number(values.expensive),
  endless: Number(values.endless),
  heapMib: values.heap === undefined ? undefined : Number(values.heap),
  profiles: values.profiles,
  concurrency: Number(values.concurrency),
  slowClients: Number(values['slow-clients']),
  seed: Number(values.seed),
  only: values.only,
  url: values.url,
  metricsUrl: values.metrics,
})
process.exit(isWell ? 0 : 1)
