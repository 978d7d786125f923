// What a request allocates, and how much of it V8 makes old: that stays until a major collection, which holds
// up all requests. Neither depends on how busy the machine is.
//   node --import tsx apps/api/bench/garbage.bench.ts [requests of each form]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { scratchDatabase } from '@shardwalk/testkit'
import { loadSampleChain } from '../test/sample-chain.ts'
import { startApi, startLiteServer, stop } from './api-process.ts'

const REQUESTS = Number(process.argv[2] ?? 1500)
/** Until what the API prints of its last collections was read. Milliseconds. */
const PRINTED_MS = 300

const scratch = await scratchDatabase()
await loadSampleChain(scratch)
const folder = mkdtempSync(join(tmpdir(), 'garbage-bench-'))
const { lite, network } = await startLiteServer(folder)
const sums = { allocated: 0, promoted: 0, scavenges: 0, major: 0 }
const api = await startApi(
  { DATABASE_URL: scratch.url, NETWORK: network, DATA_DIR: folder },
  { flags: ['--trace-gc-nvp'], onLine: count },
)
const { rows } = await scratch.pool.query<{ address: string }>(`
  select a.workchain || ':' || upper(encode(a.address, 'hex')) as address
  from (select account_id, count(*) from transactions group by 1 order by 2 desc limit 20) t
  join accounts a on a.id = t.account_id`)
const account = (i: number) => rows[i % rows.length]!.address
const FORMS: Readonly<Record<string, (i: number) => string>> = {
  '/transactions?account=': (i) => `/api/v3/transactions?account=${account(i)}`,
  'the same, limit=1': (i) => `/api/v3/transactions?account=${account(i)}&limit=1`,
  '/masterchainInfo': () => '/api/v3/masterchainInfo',
  '/healthz': () => '/healthz',
}
for (const path of Object.values(FORMS)) await ask(path)
for (const [name, path] of Object.entries(FORMS)) {
  const before = { ...sums }
  await ask(path)
  const perRequest = (what: 'allocated' | 'promoted') => (sums[what] - before[what]) / REQUESTS / 1024
  console.log(
    `${name.padEnd(24)} ${perRequest('allocated').toFixed(0)} KB, of which ` +
      `${perRequest('promoted').toFixed(1)} become old; ${sums.scavenges - before.scavenges} scavenges, ` +
      `${sums.major - before.major} major collections`,
  )
}
await stop(api.child)
await stop(lite)
rmSync(folder, { recursive: true, force: true })
await scratch.close()

async function ask(path: (i: number) => string): Promise<void> {
  for (let i = 0; i < REQUESTS; i++) await api.ask(path(i))
  await delay(PRINTED_MS)
}

function count(line: string): void {
  const value = (name: string) => Number(new RegExp(`\\b${name}=([\\d.]+)`).exec(line)?.[1] ?? 0)
  if (/ gc=mc\b/.test(line)) sums.major++
  if (!/ gc=s\b/.test(line)) return
  sums.scavenges++
  sums.allocated += value('allocated')
  sums.promoted += value('promoted')
}
