// A contract that calls itself for ever makes one trace. Indexes it oldest first, newest first and in random
// order, and compares the time per transaction and the tables.
//   node --import tsx packages/db/bench/traces.bench.ts [transactions, default 100000] [batches per commit,
//   default 20] [only this order]
import { BatchSink, CHECKED_TABLES, encodeBatch, tableChecksums } from '@shardwalk/db'
import { endlessTraceBatch, randomFrom, scratchDatabase, shuffled } from '@shardwalk/testkit'
import { cpuBetween, cpuClock } from './cpu-time.ts'

const length = Number(process.argv[2] ?? 100_000)
const group = Number(process.argv[3] ?? 20)
const only = process.argv[4]

const oldestFirst = Array.from({ length }, (_, index) => index + 1)
const ORDERS = {
  'oldest first': oldestFirst,
  'newest first': [...oldestFirst].reverse(),
  random: shuffled(oldestFirst, randomFrom(1)),
}

let expected: string | undefined
for (const [name, order] of Object.entries(ORDERS)) {
  if (only !== undefined && only !== name) continue
  const found = await index(name, order)
  expected ??= found
  console.log(`${name.padEnd(12)} tables ${found === expected ? 'equal' : 'DIFFER'}`)
  if (found !== expected) process.exitCode = 1
}

async function index(name: string, order: readonly number[]): Promise<string> {
  const scratch = await scratchDatabase()
  try {
    const sink = new BatchSink(scratch.pool)
    const tenth = Math.ceil(length / 10 / group) * group
    const tenths: number[] = []
    const before = await cpuClock(scratch.pool)
    const started = performance.now()
    for (let from = 0; from < length; from += tenth) {
      const part = performance.now()
      const some = order.slice(from, from + tenth)
      for (let at = 0; at < some.length; at += group)
        await sink.commitBatches(
          some.slice(at, at + group).map((nth) => {
            const { batch, globalVersion } = endlessTraceBatch(nth)
            return encodeBatch(batch, { globalVersion })
          }),
        )
      tenths.push(((performance.now() - part) * 1000) / some.length)
    }
    const micros = ((performance.now() - started) * 1000) / length
    const cpu = cpuBetween(before, await cpuClock(scratch.pool))
    console.log(
      `${name.padEnd(12)} ${micros.toFixed(0)} µs per transaction, CPU ${JSON.stringify(cpu)}; by tenths: ` +
        tenths.map((value) => value.toFixed(0)).join(' '),
    )
    return JSON.stringify([...(await tableChecksums(scratch.db, CHECKED_TABLES))], (_, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
  } finally {
    await scratch.close()
  }
}
