// Accounts examined per second: every contract of the recorded chain, states from the tables and from a lite server on this machine.
// Run: node --import tsx apps/ingest/bench/contracts.bench.ts
import { countRefreshQueue } from '@shardwalk/db'
import { scratchDatabase } from '@shardwalk/testkit'
import { sql } from 'kysely'
import { commitGroups, RecordedNetwork, recordedBatches, refreshAll } from '../test/refresh-chain.ts'

const scratch = await scratchDatabase()
const network = await RecordedNetwork.open()
const batches = await recordedBatches()
await commitGroups(scratch, [batches])
const { accounts } = await countRefreshQueue(scratch.db)
const refresher = network.refresher(scratch)
for (const what of ['first time, states fetched and threads started', 'again, all states stored', 'and again']) {
  const start = performance.now()
  await refreshAll(refresher)
  const seconds = (performance.now() - start) / 1000
  console.log(`${what}: ${accounts} accounts in ${seconds.toFixed(2)} s, ${Math.round(accounts / seconds)} per second`)
  await sql`insert into refresh_queue (account_id, lt) select account_id, lt from contracts`.execute(scratch.db)
}
await refresher.close()
await network.close()
await scratch.close()
