// Claims from long queues: of contracts to examine and of traces to classify.
//   node --import tsx packages/db/bench/queues.bench.ts [rows of each queue, default 1000000]
// 50,000,000 rows take about 20 GB in the folder for temporary files.
import {
  claimContracts,
  countMissingStates,
  countRefreshQueue,
  createDb,
  QueueClassifier,
  readClassifierQueue,
  requeueNextNaming,
} from '@shardwalk/db'
import { scratchDatabase } from '@shardwalk/testkit'

const rows = Number(process.argv[2] ?? 1_000_000)
const CLAIM = 64
const ROUNDS = 300
const WALLETS = 50_000
const MASTER = 1n

const scratch = await scratchDatabase()
// Filling and vacuuming tens of millions of rows takes longer than any statement of the program may.
const filling = createDb({ url: scratch.url, max: 1, statementTimeoutMs: 0 })
const run = (text: string, values: readonly unknown[] = []) => filling.pool.query(text, [...values])
try {
  const started = performance.now()
  await fill()
  console.log(`${rows.toLocaleString('en')} rows in each queue after ${seconds(started)}`)
  await measure(`claim of ${CLAIM} contracts`, ROUNDS, async () => {
    const claimed = await claimContracts(scratch.db, { limit: CLAIM, leaseSeconds: 60 })
    if (claimed.length !== CLAIM) throw new Error(`${claimed.length} claimed`)
  })
  await run('update refresh_queue set leased_until = now() where leased_until is not null')
  await measure(`claim of ${CLAIM}, a quarter of them again`, ROUNDS, () =>
    claimContracts(scratch.db, { limit: CLAIM, leaseSeconds: 60 }),
  )
  await measure('lengths of the queues', 20, async () => {
    await countRefreshQueue(scratch.db)
    await countMissingStates(scratch.db)
  })
  await measure('state of the classification queue', 20, () => readClassifierQueue(scratch.pool))
  const classifier = new QueueClassifier(scratch.pool)
  await measure('round of classification, none of the traces is ready', 20, () => classifier.round())
  await run('insert into naming_queue values ($1, 0, 0)', [MASTER])
  await measure('page of the wallets of a master', WALLETS / 1_000, () => requeueNextNaming(scratch.pool))
} finally {
  await filling.close()
  await scratch.close()
}

/** Each account and trace once, in no order; those that will be claimed have states. */
async function fill(): Promise<void> {
  for (let from = 1; from <= rows; from += 500_000) {
    const range = [from, Math.min(rows, from + 499_999)]
    await run(
      `insert into refresh_queue (account_id, lt)
       select hashint8extended(i, 0), 1000000 + i from generate_series($1::int, $2::int) i`,
      range,
    )
    await run(
      `insert into unclassified_traces (trace_id, end_lt)
       select sha256(i::text::bytea), i from generate_series($1::int, $2::int) i`,
      range,
    )
  }
  await run(
    `insert into latest_account_states (account_id, lt, balance, mc_seqno, timestamp, status, state_hash,
       last_trans_hash)
     select account_id, lt, 0, 1, 1, 1, ''::bytea, ''::bytea from refresh_queue where lt > $1
     union all select i, i, 0, 1, 1, 1, '', '' from generate_series(2, ${WALLETS}) i`,
    [1_000_000 + rows - 2 * CLAIM * ROUNDS],
  )
  await run(`insert into accounts select account_id, 0, sha256(account_id::text::bytea), ''
    from latest_account_states`)
  await run(
    `insert into jetton_wallets (account_id, lt, balance, owner_id, jetton_id, code_hash, data_hash)
     select i, i, 0, i, $1, '', '' from generate_series(2, ${WALLETS}) i`,
    [MASTER],
  )
  await run('vacuum analyze')
}

async function measure(name: string, times: number, work: () => Promise<unknown>): Promise<void> {
  const ms: number[] = []
  for (let round = 0; round < times; round++) {
    const start = performance.now()
    await work()
    ms.push(performance.now() - start)
  }
  ms.sort((a, b) => a - b)
  const at = (share: number) => ms[Math.min(ms.length - 1, Math.floor(ms.length * share))]!.toFixed(1)
  console.log(`${name}: median ${at(0.5)} ms, p99 ${at(0.99)} ms, ${times} times`)
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(0)} s`
}
