import { decodeBlock } from '@shardwalk/blocks'
import {
  generatedChain,
  randomFrom,
  type ScratchDatabase,
  scratchDatabase,
  shuffled,
} from '@shardwalk/testkit'
import { inGroups } from '@shardwalk/testkit/refresh-chain'
import { isLong, randomCases, testSeed } from '@shardwalk/testkit/runs'
import type pg from 'pg'
import { expect, test } from 'vitest'
import {
  applyWatch,
  BatchSink,
  CHECKED_TABLES,
  decideTraces,
  type EncodedBatch,
  encodeBatch,
  enforceRetention,
  forgetRetention,
  listIndexedRanges,
  listPartialRanges,
  queueStoredTraces,
  tableChecksums,
  type WatchSubject,
  writeIngestStatus,
} from '../src/index.ts'
import { failingPool } from './failing-pool.ts'

// What operators and several processes may do to a database, in any order, interrupted anywhere and at the
// same time: what counts as indexed is in the tables, and once everything is wanted again they are those of a
// database that nothing has happened to.

const OPERATIONS = isLong ? 60 : 12
/** Tables whose rows belong to a block each; the others keep accounts and codes that retention leaves. */
const OF_BLOCKS = ['blocks', 'transactions', 'messages', 'traces', 'trace_pieces', 'indexed_ranges']
const never = new AbortController().signal

interface Chain {
  readonly batches: readonly EncodedBatch[]
  readonly partitionWidth: bigint
}

function chainOf(seed: number, random: () => number): Chain {
  const steps = generatedChain({
    seed,
    steps: isLong ? 60 : 20,
    accounts: 30,
    transactions: 10,
    isRestless: random() < 0.5,
    workchains: random() < 0.5 ? [0] : [0, 5],
    sizes: { cells: 6, dictionary: 6, depth: 6 },
  })
  const batches = [...steps].map(({ masterchain, shards }) =>
    encodeBatch(
      { masterchain: decodeBlock(masterchain.raw), shards: shards.map(({ raw }) => decodeBlock(raw)) },
      { globalVersion: 12 },
    ),
  )
  const lts = batches.flatMap(({ ltRange }) => ltRange ?? [])
  const partitions = BigInt(5 + Math.floor(random() * 30))
  return { batches, partitionWidth: (lts.at(-1)!.to - lts[0]!.from) / partitions }
}

async function databaseOf(
  { batches, partitionWidth }: Chain,
  ranges: readonly { readonly from: number; readonly to: number }[],
): Promise<ScratchDatabase> {
  const database = await scratchDatabase()
  const sink = new BatchSink(database.pool, { partitionWidth })
  for (const { from, to } of ranges) await sink.commitBatches(batches.slice(from - 1, to))
  return database
}

const checksums = async ({ db }: ScratchDatabase, tables: readonly string[]) =>
  Object.fromEntries(await tableChecksums(db, tables))

/** Ends of work that must leave nothing half done. */
function expected(error: Error & { code?: string }): void {
  const { message, code = message } = error
  if (!['interrupted', 'being_dropped', 'not_retained'].includes(code)) throw error
}

class Operator {
  private readonly sinks: readonly BatchSink[]
  private isWatching = false

  constructor(
    private readonly chain: Chain,
    private readonly database: ScratchDatabase,
    private readonly subjects: readonly WatchSubject[],
    private readonly random: () => number,
  ) {
    const options = { partitionWidth: chain.partitionWidth }
    this.sinks = [1, 2].map(() => new BatchSink(database.pool, options))
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  private oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  private someBatches(most: number): readonly EncodedBatch[] {
    const at = this.below(this.chain.batches.length)
    const some = this.chain.batches.slice(at, at + 1 + this.below(most))
    return some.filter((_, index) => index === 0 || this.random() < 0.8)
  }

  private sometimesFailing(): pg.Pool {
    const { pool } = this.database
    return this.random() < 0.5 ? pool : failingPool(pool, this.below(80))
  }

  readonly operations = {
    commit: () => this.oneOf(this.sinks).commitBatches(this.someBatches(15)),
    commitInterrupted: async () => {
      const { partitionWidth } = this.chain
      const pool = failingPool(this.database.pool, this.below(60))
      await new BatchSink(pool, { partitionWidth }).commitBatches(this.someBatches(25))
    },
    commitMostInAnyOrder: async () => {
      for (const group of shuffled(inGroups(this.chain.batches, 7), this.random))
        if (this.random() < 0.8) await this.oneOf(this.sinks).commitBatches(group).catch(expected)
    },
    commitAllAtOnce: async () => {
      const groups = shuffled(inGroups(this.chain.batches, 5), this.random)
      await Promise.all(
        groups.map((group, index) => this.sinks[index % 2]!.commitBatches(group).catch(expected)),
      )
    },
    repair: async () => {
      const ranges = await listIndexedRanges(this.database.db)
      if (ranges.length === 0) return
      const range = this.oneOf(ranges)
      const from = range.from + this.below(range.to - range.from + 1)
      const to = Math.min(range.to, from + this.below(12))
      await this.oneOf(this.sinks).repairRange({ from, to }, this.chain.batches.slice(from - 1, to))
    },
    retain: async () => {
      const pool = this.sometimesFailing()
      await enforceRetention({ db: this.database.db, pool }, this.rule(), never)
    },
    retainBesideWriters: async () => {
      const { commit, commitMostInAnyOrder, repair, decide } = this.operations
      const besides = [commitMostInAnyOrder, commit, repair, decide].filter(() => this.random() < 0.7)
      const rule = this.rule()
      await Promise.all([
        ...besides.map((work) => work().catch(expected)),
        enforceRetention(this.database, rule, never).catch(expected),
      ])
    },
    keepEverything: () => forgetRetention({ db: this.database.db, pool: this.sometimesFailing() }, never),
    watch: async () => {
      const watched = this.random() < 0.5 ? [] : this.subjects.filter(() => this.random() < 0.4)
      this.isWatching = watched.length > 0
      await applyWatch(this.database.pool, watched)
    },
    decide: async () => {
      const { pool } = this.database
      // Contracts count as examined, and times as come.
      await pool.query(`delete from event_queue; delete from refresh_queue; delete from missing_states;
        update undecided_traces set due_at = now()`)
      await queueStoredTraces(pool)
      await decideTraces(this.sometimesFailing(), { limit: 1 + this.below(100) })
    },
    /** What counts as indexed is there, and nothing else. */
    compare: async () => {
      const { db } = this.database
      if (this.isWatching || (await listPartialRanges(db)).length > 0) return
      const rule = this.rule()
      for (let pass = 0; pass < 2; pass++) await enforceRetention(this.database, rule, never)
      const fresh = await databaseOf(this.chain, await listIndexedRanges(db))
      expect(await checksums(this.database, OF_BLOCKS)).toEqual(await checksums(fresh, OF_BLOCKS))
      await fresh.close()
    },
  } satisfies Record<string, () => Promise<unknown>>

  private rule(): { readonly blocks: number } {
    return { blocks: 1 + this.below(this.chain.batches.length) }
  }

  /** Everything is wanted again, and indexed. */
  async end(): Promise<void> {
    await applyWatch(this.database.pool, [])
    await forgetRetention(this.database, never)
    for (const group of inGroups(this.chain.batches, 7)) await this.sinks[0]!.commitBatches(group)
  }
}

/** Busy accounts, some of which have traces of many blocks. */
async function subjectsIn({ pool }: ScratchDatabase): Promise<WatchSubject[]> {
  const { rows } = await pool.query(
    `select a.workchain, a.address as hash from accounts a join transactions t on t.account_id = a.id
     group by a.id having count(*) > 3 order by count(*) desc, a.id limit 4`,
  )
  return rows.map((address) => ({ kind: 'address', address }))
}

const FIRST_SEED = testSeed()
const SEEDS = Array.from({ length: randomCases(5) }, (_, index) => FIRST_SEED + index)

test.each(SEEDS)('any operations in any order leave what the blocks say, seed %i', async (seed) => {
  const random = randomFrom(seed)
  const chain = chainOf(seed, random)
  const all = [{ from: 1, to: chain.batches.length }]
  const undisturbed = await databaseOf(chain, all)
  const database = await scratchDatabase()
  await writeIngestStatus(database.db, { head: chain.batches.length, first: 1 })
  const operator = new Operator(chain, database, await subjectsIn(undisturbed), random)
  const names = Object.keys(operator.operations) as (keyof Operator['operations'])[]
  const done: string[] = []
  try {
    for (let i = 0; i < OPERATIONS; i++) {
      const name = names[Math.floor(random() * names.length)]!
      done.push(name)
      await operator.operations[name]().catch(expected)
    }
    await operator.end()
    expect(await checksums(database, CHECKED_TABLES)).toEqual(await checksums(undisturbed, CHECKED_TABLES))
  } catch (error) {
    console.log(`seed ${seed}: ${done.join(', ')}`)
    throw error
  } finally {
    await database.close()
    await undisturbed.close()
  }
})
