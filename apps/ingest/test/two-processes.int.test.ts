import { tableChecksums } from '@shardwalk/db'
import type { RawAddress } from '@shardwalk/model'
import { Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endingAt, runIngest } from './run-ingest.ts'

/** More than one job of the queue. */
const RANGE = { from: 1, to: isLong ? 120 : 40 }

let recording: Recording
/** What one process indexed. */
let all: ScratchDatabase
beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  all = await scratchDatabase()
  await runIngest({ source: source(), scratch: all, range: RANGE })
})
afterAll(async () => {
  await all?.close()
  await recording?.close()
})

const source = () => endingAt(new RecordingSource(recording), RANGE.to)

test('two ingest processes, one from either end, give the same tables as one', async () => {
  const expected = Object.fromEntries(await tableChecksums(all.db))
  const scratch = await scratchDatabase({ max: 12 })
  try {
    await Promise.all(
      (['oldest-first', 'newest-first'] as const).map((order) =>
        runIngest({ source: source(), scratch, range: RANGE, options: { order } }),
      ),
    )
    expect(Object.fromEntries(await tableChecksums(scratch.db))).toEqual(expected)
  } finally {
    await scratch.close()
  }
})

test('two ingest processes with WATCH keep whole traces of what is watched', async () => {
  const scratch = await scratchDatabase({ max: 16 })
  try {
    const { rows } = await all.pool.query<RawAddress & { id: bigint }>(
      `select a.id, a.workchain, a.address as hash from accounts a where workchain = 0
         and (select count(*) from transactions t where t.account_id = a.id) between 3 and 20
       order by a.id limit 1`,
    )
    const { id, workchain, hash } = rows[0]!
    // The files have no lite server: what lacks a state is kept until there is one.
    const isDecided = async () => {
      // Seconds pass before a trace is looked at again.
      await scratch.pool.query(
        `update undecided_traces set due_at = now()
         where due_at > now() and not exists (select from refresh_queue)
           and not exists (select from event_queue)`,
      )
      const left = await scratch.pool.query(
        `select from undecided_traces u where not exists (
           select from transactions t join missing_states using (account_id)
           where root_of_piece(t.piece) = u.piece) limit 1`,
      )
      return left.rowCount === 0
    }
    await Promise.all(
      (['oldest-first', 'newest-first'] as const).map((order) =>
        runIngest({
          ...{ source: source(), scratch, range: RANGE, until: isDecided },
          options: {
            ...{ order, contracts: { states: undefined, threads: 1 } },
            watch: [{ kind: 'address', address: { workchain, hash } }],
          },
        }),
      ),
    )
    const listHashes = async ({ pool }: ScratchDatabase, condition: string) => {
      const found = await pool.query<{ hash: string }>(
        `select encode(hash, 'hex') as hash from transactions where ${condition} order by 1`,
      )
      return found.rows.map((row) => row.hash)
    }
    const kept = await listHashes(scratch, 'true')
    const wanted = await listHashes(
      all,
      `root_of_piece(piece) in (select root_of_piece(piece) from transactions where account_id = ${id})
       or root_of_piece(piece) in (select piece from traces where state <> 0)`,
    )
    expect(wanted.length).toBeGreaterThan(3)
    expect(kept.filter((one) => wanted.includes(one))).toEqual(wanted)
    expect(kept.length).toBeLessThan((await listHashes(all, 'true')).length)
  } finally {
    await scratch.close()
  }
})
