import { createHash } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { archiveRange, isArchiveAway } from '@shardwalk/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { prepareDataDir, repartition, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  keepPlans,
  listTransactions,
  placesOfMessages,
  placesOfTransactions,
  transactionsByHash,
} from '../src/index.ts'

const PARTITIONS = 8
const SETTINGS = { fsync: 'off', shared_buffers: '32MB', wal_level: 'minimal', max_wal_senders: '0' }
const PAGE = { limit: 10, offset: 0, sort: 'desc' } as const

let dir: string
let archive: EmbeddedPostgres
let scratch: ScratchDatabase
let end: bigint
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shardwalk-archive-'))
  await chmod(dir, 0o755)
  // Its database has other tables, too, which costs less than to set up a server.
  await prepareDataDir(dir)
  ;[archive, scratch] = await Promise.all([
    startEmbeddedPostgres({ dataDir: dir, settings: SETTINGS }),
    sampleChainDatabase(),
  ])
  await repartition(scratch.pool, PARTITIONS)
  const { rows } = await scratch.pool.query<{ last: number }>(
    'select max(to_seqno) as last from indexed_ranges',
  )
  const moved = await archiveRange(scratch, {
    range: { from: 1, to: Math.floor(rows[0]!.last / 2) },
    url: archive.url,
  })
  end = moved!.at(-1)!.to
})
afterAll(async () => {
  await scratch?.close()
  await archive?.stop()
  await rm(dir, { recursive: true, force: true })
})

/** Some hashes of rows before or after the end of the archive. */
async function hashesOf(table: 'transactions' | 'messages', side: '<' | '>='): Promise<readonly Buffer[]> {
  const { rows } = await scratch.pool.query<{ hash: Buffer }>(
    `select hash from ${table} where lt ${side} ${end} order by hash limit 20`,
  )
  return rows.map(({ hash }) => hash)
}

test('a look-up asks the archive server only for what that may have', async () => {
  const db = keepPlans(scratch.pool)
  const [here, there] = [await hashesOf('transactions', '>='), await hashesOf('transactions', '<')]
  const [sentHere, sentThere] = [await hashesOf('messages', '>='), await hashesOf('messages', '<')]
  expect([here.length, there.length, sentHere.length, sentThere.length]).toEqual([20, 20, 20, 20])
  expect(await transactionsByHash(db, there)).toHaveLength(20)
  expect(await placesOfTransactions(db, there)).toHaveLength(20)
  expect((await placesOfMessages(db, sentThere)).length).toBeGreaterThanOrEqual(20)
  // Accounts that have rows on one side only.
  const { rows } = await scratch.pool.query<{ account: bigint; is_here: boolean }>(
    `select account_id as account, min(from_lt) >= ${end} as is_here
     from (select distinct account_id from transactions) t, active_ranges(account_id, false)
     group by 1 having min(from_lt) >= ${end} or max(to_lt) < ${end}`,
  )
  const recent = rows.find(({ is_here }) => is_here)!.account
  const old = rows.find(({ is_here }) => !is_here)!.account
  const list = (account: bigint) => listTransactions(db, { accounts: [account] }, PAGE)
  expect((await list(old)).rows.length).toBeGreaterThan(0)

  await archive.stop()
  expect(await transactionsByHash(db, here)).toHaveLength(20)
  expect(await placesOfTransactions(db, here)).toHaveLength(20)
  expect((await placesOfMessages(db, sentHere)).length).toBeGreaterThanOrEqual(20)
  expect((await list(recent)).rows.length).toBeGreaterThan(0)
  expect((await listTransactions(db, {}, PAGE)).rows).toHaveLength(10)
  // Hashes that nothing has: the filter of an archived partition lets one in 200 pass, but none of these.
  const unknown = Array.from({ length: 20 }, (_, n) => createHash('sha256').update(`${n}`).digest())
  expect(await transactionsByHash(db, unknown)).toEqual([])
  await expect(transactionsByHash(db, there)).rejects.toSatisfy(isArchiveAway)
  await expect(placesOfMessages(db, sentThere)).rejects.toSatisfy(isArchiveAway)
  await expect(list(old)).rejects.toSatisfy(isArchiveAway)
})
