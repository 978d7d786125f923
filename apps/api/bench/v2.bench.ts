// Requests per second and percentiles of API v2 over the sample chain, lite server and API in one process.
// node --import tsx apps/api/bench/v2.bench.ts [seconds per row] [connections]
import { startApi } from '../test/v2/running-api.ts'

const seconds = Number(process.argv[2] ?? 3)
const connections = Number(process.argv[3] ?? 16)
const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
const run = (seqno?: number) => JSON.stringify({ address: WALLET, method: 'seqno', stack: [], ...(seqno && { seqno }) })
/** Another block each time: nothing is remembered yet. */
let next = 40
const coldSeqno = () => 40 + (next++ % 480)

const api = await startApi()
const rows: readonly (readonly [string, () => Promise<Response>])[] = [
  ['getMasterchainInfo', () => fetch(`${api.base}/getMasterchainInfo`)],
  ['getAddressInformation, warm', () => fetch(`${api.base}/getAddressInformation?address=${WALLET}`)],
  [
    'getAddressInformation, other blocks',
    () => fetch(`${api.base}/getAddressInformation?address=${WALLET}&seqno=${coldSeqno()}`),
  ],
  ['getTransactions, warm', () => fetch(`${api.base}/getTransactions?address=${WALLET}&limit=10`)],
  ['runGetMethod, warm', () => fetch(`${api.base}/runGetMethod`, { method: 'POST', body: run() })],
  ['runGetMethod, other blocks', () => fetch(`${api.base}/runGetMethod`, { method: 'POST', body: run(coldSeqno()) })],
]
for (const [name, ask] of rows) {
  if (!name.includes('other')) await (await ask()).text()
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  const client = async () => {
    while (performance.now() < end) {
      const begin = performance.now()
      const reply = await ask()
      await reply.text()
      if (reply.status !== 200) throw new Error(`${name}: ${reply.status}`)
      times.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1)
  const rate = Math.round(times.length / seconds)
  console.log(
    `${name.padEnd(38)} ${String(rate).padStart(6)} requests/s  p50 ${at(0.5)} ms  p95 ${at(0.95)}  p99 ${at(0.99)}`,
  )
}
await api.close()
