// Creates a database from copies of the recorded chain and keeps its server running until it is stopped. The
// first line of output is the URL.
//   node --import tsx apps/api/bench/large-database.ts <copies of 7,637 transactions> <folder>
//     [partitions, default one for 140 copies]
import { chmodSync, mkdirSync } from 'node:fs'
import { createDb, fillHashFilters, migrate, writeIngestStatus } from '@shardwalk/db'
import { startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { classifyWithoutFacts } from '@shardwalk/testkit/refresh-chain'
import { loadSampleChain } from '../test/sample-chain.ts'
import { replicate } from './replicate.ts'

const copies = Number(process.argv[2])
const folder = process.argv[3]
const partitions = Number(process.argv[4] ?? 0)
if (!folder || !(copies > 0)) throw new Error('usage: large-database.ts <copies> <folder> [partitions]')
mkdirSync(folder, { recursive: true })
chmodSync(folder, 0o755)
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  shared_buffers: '1GB',
  maintenance_work_mem: '768MB',
  work_mem: '64MB',
  autovacuum: 'off',
}
const server = await startEmbeddedPostgres({ dataDir: folder, settings })
console.log(server.url)
const handle = createDb({ url: server.url, statementTimeoutMs: 0 })
const start = performance.now()
const progress = (text: string) =>
  console.log(`${((performance.now() - start) / 1000).toFixed(0)} s  ${text}`)
const { rows } = await handle.pool.query("select to_regclass('transactions') is not null as made")
if (!rows[0].made) {
  await migrate(handle.db)
  await loadSampleChain(handle)
  await classifyWithoutFacts(handle)
  progress('recorded chain')
  await replicate(server.url, copies - 1, progress, partitions > 0 ? { partitions } : {})
}
await writeIngestStatus(handle.db, { head: 1, first: 1 })
await fillHashFilters(handle.pool, { signal: new AbortController().signal })
progress('filters of hashes')
// Autovacuum is off.
await handle.pool.query('vacuum full analyze hash_filters, hash_filter_bits')
progress('ready')
const alive = setInterval(() => {}, 60_000)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    clearInterval(alive)
    await handle.close()
    await server.stop()
    process.exit(0)
  })
