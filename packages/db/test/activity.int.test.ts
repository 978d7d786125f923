import {
  ACTIVITY_FROM_ROWS,
  randomFrom,
  type ScratchDatabase,
  scratchDatabase,
  shuffled,
} from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { isLong, randomCases, testSeed } from '@shardwalk/testkit/runs'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BatchSink, createDb, type EncodedBatch } from '../src/index.ts'
import { up } from '../src/migrations/20261123110000_account_activity.ts'
import { encodeActivity } from '../src/writing/activity.ts'

// What `accounts.activity` says of the rows of an account.

const SEED = testSeed()
const LAST = isLong ? 90 : 36
/** Of a period: two masterchain blocks. */
const WIDTH = 2_000_000n

let scratch: ScratchDatabase
let batches: readonly EncodedBatch[]
beforeAll(async () => {
  scratch = await scratchDatabase({ max: 8 })
  batches = await recordedBatches({ to: LAST })
})
afterAll(() => scratch?.close())

const query = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows

const setWidth = (width: bigint) =>
  query(`create or replace function activity_width() returns bigint language sql immutable parallel safe as
    'select ${width}::bigint'`)

/** Rows that name an account outside of its activity. */
const MISSED = `
  select count(*)::int as missed from (
    select account_id as id, lt from transactions
    union all select account_id, lt from messages
    union all select destination_id, lt from messages where destination_id is not null
  ) named left join accounts a using (id)
  where not coalesce(decode_activity(a.activity) @> (lt / activity_width())::int, false)`
const missed = async () => (await query(MISSED))[0].missed

const stored = async () =>
  new Map(
    (await query('select id, activity from accounts')).map((row) => [row.id, row.activity.toString('hex')]),
  )

async function empty(): Promise<void> {
  const rows = await query(`select string_agg(relname, ', ') as tables from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not like 'schema_migrations%' and relname not in ('ingest_status', 'metadata_fetcher')`)
  await query(`truncate ${rows[0].tables}`)
}

test('any set of periods is stored and read as it is, by us and by the database', async () => {
  const random = randomFrom(SEED)
  for (let round = 0; round < randomCases(500); round++) {
    const span = [3, 40, 300, 3_000_000][round % 4]!
    const some = (): Set<number> => {
      const periods = new Set<number>()
      for (let at = Math.floor(random() * span); random() < 0.9; at += 1 + Math.floor(random() ** 4 * span))
        periods.add(at)
      return periods
    }
    const [one, other] = [some(), some()]
    const [row] = await query(
      `select encode_activity(p) as ours, merge_activity(encode_activity(p), $2) as both,
         array(select generate_series(lower(r), upper(r) - 1) from unnest(decode_activity($3)) r) as read
       from (select coalesce(range_agg(int4range(n, n + 1)), '{}') as p from unnest($1::int[]) n) x`,
      [[...one], encodeActivity(other), encodeActivity(one)],
    )
    expect(row.ours).toEqual(encodeActivity(one))
    expect(row.both).toEqual(encodeActivity(new Set([...one, ...other])))
    expect(row.read).toEqual([...one].sort((a, b) => a - b))
  }
})

test('parallel writers, random order: no row is ever outside, in the end nothing else is there', async () => {
  await setWidth(WIDTH)
  await empty()
  const random = randomFrom(SEED + 1)
  const queue = shuffled(batches, random)
  const handles = Array.from({ length: 4 }, () => createDb({ url: scratch.url, max: 2 }))
  try {
    let isDone = false
    const seen: number[] = []
    const watching = (async () => {
      while (!isDone) seen.push(await missed())
    })()
    await Promise.all(
      handles.map(async ({ pool }) => {
        const sink = new BatchSink(pool)
        while (queue.length > 0) await sink.commitBatches(queue.splice(0, 1 + Math.floor(random() * 3)))
      }),
    ).finally(() => {
      isDone = true
    })
    await watching
    expect(seen.length).toBeGreaterThan(1)
    expect(new Set(seen)).toEqual(new Set([0]))
  } finally {
    await Promise.all(handles.map((handle) => handle.close()))
  }
  const written = await stored()
  expect(new Set(written.values()).size).toBeGreaterThan(50)
  await query("update accounts set activity = ''")
  await query(ACTIVITY_FROM_ROWS)
  expect(written).toEqual(await stored())
})

test('what is known of accounts is forgotten on a new connection, for a crash may have lost it', async () => {
  await setWidth(WIDTH)
  await empty()
  const handle = createDb({ url: scratch.url, max: 1 })
  try {
    const sink = new BatchSink(handle.pool)
    const range = { from: 1, to: 30 } as never
    await sink.commitBatches(batches.slice(0, 30))
    await query("update accounts set activity = ''")
    await query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await expect.poll(() => sink.repairRange(range, batches.slice(0, 30)).catch(() => null)).toBeTruthy()
    expect(await missed()).toBe(0)
  } finally {
    await handle.close()
  }
})

test('accounts from before the migration are active until then, others where they have rows', async () => {
  await setWidth(5_000_000_000_000n)
  await empty()
  await new BatchSink(scratch.pool).commitBatches(batches.slice(0, 30))
  await query(`select create_lt_partition('messages', 10000000000000, 15000000000000)`)
  await query('create table later as select * from messages limit 5')
  await query('update later set lt = lt + 12000000000000')
  await query('insert into messages select * from later')
  await query('drop function active_ranges, merge_activity, encode_activity, decode_activity, activity_width')
  await query('alter table accounts drop column activity')
  await up(scratch.db as Kysely<unknown>)
  const ranges = () => query('select distinct r.* from accounts a, active_ranges(a.id, true) r')
  expect(await ranges()).toEqual([{ from_lt: 0n, to_lt: 19_999_999_999_999n }])
  expect(await missed()).toBe(0)
  // A version from before cannot write without it.
  const insert = query("insert into accounts (id, workchain, address) values (1, 0, '')")
  await expect(insert).rejects.toThrow(/"activity"/)
  await new BatchSink(scratch.pool).commitBatches(batches.slice(30))
  expect(await missed()).toBe(0)
  const ends = (await ranges()).map(({ to_lt }) => to_lt)
  expect(new Set(ends)).toEqual(new Set([4_999_999_999_999n, 19_999_999_999_999n]))
})
