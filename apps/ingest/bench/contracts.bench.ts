// Measures how many contracts of the recorded chain are examined per second, and the rate of indexing with
// everything on (chain, traces, contracts, token events, actions). States come from the blocks, otherwise
// from a lite server on this machine.
//   node --import tsx apps/ingest/bench/contracts.bench.ts
import { classifyWaiting, countRefreshQueue, countUnclassified } from '@shardwalk/db'
import { scratchDatabase } from '@shardwalk/testkit'
import {
  commitGroups,
  inGroups,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'
import { sql } from 'kysely'

const network = await RecordedNetwork.open()
const batches = await recordedBatches()
await examine()
await everything()
await network.close()
// Refreshers share a thread that does not end.
process.exit()

async function examine(): Promise<void> {
  const scratch = await scratchDatabase()
  await commitGroups(scratch, [batches])
  const { accounts } = await countRefreshQueue(scratch.db)
  const refresher = network.refresher(scratch)
  for (const what of [
    'first time, states put together and threads started',
    'again, all states stored',
    'and again',
  ]) {
    const { calls, cacheHits } = { ...refresher.tvm }
    const start = performance.now()
    const cpu = process.cpuUsage()
    await refreshAll(refresher)
    const own = process.cpuUsage(cpu)
    const seconds = (performance.now() - start) / 1000
    const runs = refresher.tvm.calls - calls
    console.log(
      `${what}: ${accounts} accounts in ${seconds.toFixed(2)} s, ${Math.round(accounts / seconds)} per ` +
        'second; ' +
        `${((own.user + own.system) / 1e6).toFixed(2)} s of a processor in this process, its threads ` +
        'included; ' +
        `${runs} get-methods run, ${refresher.tvm.cacheHits - cacheHits} answers remembered`,
    )
    await sql`insert into refresh_queue (account_id, lt) select account_id, lt from contracts
      on conflict do nothing`.execute(scratch.db)
  }
  console.log(`states from a lite server: ${network.statesAsked}`)
  await refresher.close()
  await scratch.close()
}

/**
 * Runs concurrently, like the processes: one task writes decoded batches, one examines contracts, one
 * classifies.
 */
async function everything(): Promise<void> {
  const scratch = await scratchDatabase()
  const refresher = network.refresher(scratch)
  const start = performance.now()
  const cpu = process.cpuUsage()
  let isWritten = false
  const writing = commitGroups(scratch, inGroups(batches, 10)).then(() => {
    isWritten = true
    console.log(`chain and traces written after ${((performance.now() - start) / 1000).toFixed(2)} s`)
  })
  const examining = until(
    () => refresher.round(),
    () => isWritten,
  )
  await Promise.all([writing, examining])
  console.log(`contracts examined after ${((performance.now() - start) / 1000).toFixed(2)} s`)
  while ((await classifyWaiting(scratch.pool)).traces > 0);
  const seconds = (performance.now() - start) / 1000
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from transactions`.execute(scratch.db)
  const left = await countUnclassified(scratch.pool)
  const own = process.cpuUsage(cpu)
  console.log(
    `everything: ${rows[0]!.n} transactions in ${seconds.toFixed(2)} s, ` +
      `${Math.round(Number(rows[0]!.n) / seconds)} per second; ` +
      `${((own.user + own.system) / 1e6).toFixed(2)} s of a processor without PostgreSQL; ${left} traces ` +
      'wait',
  )
  await refresher.close()
  await scratch.close()
}

/** Repeats the work until nothing is left and nothing more will come. */
async function until(work: () => Promise<boolean>, isLast: () => boolean): Promise<void> {
  for (;;) {
    const last = isLast()
    if (!(await work()) && last) return
    if (!last) await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
