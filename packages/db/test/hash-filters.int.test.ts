import { createHash } from 'node:crypto'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeFilter } from '../src/hash-filters/write-filter.ts'
import {
  BatchSink,
  blockOfKey,
  type EncodedBatch,
  type FilteredPartition,
  fillHashFilters,
  mayHaveKey,
  pairKeys,
  writeIngestStatus,
} from '../src/index.ts'
import { dropPartitions } from '../src/retention/drop-partitions.ts'

const BLOCKS = 60
const PARTITIONS = 24n
const { signal } = new AbortController()

let scratch: ScratchDatabase
let batches: readonly EncodedBatch[]
let sink: BatchSink
beforeAll(async () => {
  batches = await recordedBatches({ to: BLOCKS })
  const ends = batches.flatMap(({ ltRange }) => (ltRange ? [ltRange] : []))
  scratch = await scratchDatabase()
  const partitionWidth = (ends.at(-1)!.to - ends[0]!.from) / PARTITIONS
  sink = new BatchSink(scratch.pool, { partitionWidth })
  await sink.commitBatches(batches)
  await writeIngestStatus(scratch.db, { head: BLOCKS, first: 1 })
})
afterAll(() => scratch?.close())

/** Names of the partitions whose filter came into force. */
async function fill({ pool = scratch.pool, restSeconds = 0 } = {}): Promise<readonly string[]> {
  const done: string[] = []
  expect(await fillHashFilters(pool, { signal, restSeconds, onDone: ({ name }) => done.push(name) })).toBe(
    true,
  )
  return done
}

const query = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
  (await scratch.pool.query<Row>(text, [...values])).rows

const filters = () =>
  query<FilteredPartition & { group: number; slot: number; blocks: number; complete: boolean }>(
    `select of_table as table, of_table || '_lt_' || from_lt as name, from_lt as from, to_lt as to,
       group_no as group, slot, blocks, is_complete as complete
     from hash_filters order by from_lt, of_table`,
  )

/** Names of the partitions whose filter in force says that it may have the hash, for each of the hashes. */
const having = async (table: string, hashes: readonly Buffer[]): Promise<readonly string[]> =>
  (
    await query<{ name: string }>(
      `select f.of_table || '_lt_' || f.from_lt as name from unnest($2::bytea[]) h(hash)
       cross join hash_filters f join hash_filter_bits b
         on b.group_no = f.group_no and b.block = ${blockOfKey('h.hash', 'f.blocks')}
       where f.of_table = $1 and f.is_complete and ${mayHaveKey('b.bits', 'f.slot', 'h.hash')}`,
      [table, hashes],
    )
  ).map(({ name }) => name)

/** Of all pairs of values of messages, with the partition. */
async function keysOf(partition = 'messages'): Promise<readonly { readonly name: string; key: Buffer }[]> {
  const rows = await query<{
    name: string
    kind: number
    flags: number
    account_id: bigint
    destination_id: bigint | null
    opcode: number | null
  }>(
    `select tableoid::regclass::text as name, kind, flags, account_id, destination_id, opcode
     from ${partition}`,
  )
  return rows.flatMap(({ name, kind, flags, account_id, destination_id, opcode }) => {
    const values = {
      ...(kind !== 1 && !(flags & 8) && { source: account_id }),
      ...(kind !== 1 && destination_id !== null && { destination: destination_id }),
      ...(opcode !== null && { opcode: BigInt(opcode) }),
    }
    return pairKeys(values).map((key) => ({ name, key }))
  })
}

async function expectAllHashes(): Promise<void> {
  const keys = await keysOf()
  const lacking = await query(
    `with filters as (select of_table || '_lt_' || from_lt as name, * from hash_filters where is_complete),
     known as (
       select t.tableoid::regclass::text as name, hash from transactions t
       union all select t.tableoid::regclass::text, hash from messages t
       union all select * from unnest($1::text[], $2::bytea[]))
     select f.name, k.hash from filters f join known k using (name)
     left join hash_filter_bits b
       on b.group_no = f.group_no and b.block = ${blockOfKey('k.hash', 'f.blocks')}
     where ${mayHaveKey('b.bits', 'f.slot', 'k.hash')} is not true`,
    [keys.map(({ name }) => name), keys.map(({ key }) => key)],
  )
  expect(lacking).toEqual([])
  const remains = await query(
    `select group_no, count(*), max(blocks) from hash_filter_bits b join (
       select distinct group_no, blocks from hash_filters where is_complete) g using (group_no)
     group by 1 having count(*) <> max(blocks)`,
  )
  expect(remains).toEqual([])
}

/** Bits of every filter. */
const contents = () =>
  query(
    `select f.of_table, f.from_lt, b.block, substr(b.bits, f.slot * 120 + 1, 120) as bits
     from hash_filters f join hash_filter_bits b using (group_no) order by 1, 2, 3`,
  )

test('finished partitions have a filter with all of their hashes and few others, made once', async () => {
  // A group of small filters with one place left.
  await query(
    `insert into hash_filters (of_table, from_lt, to_lt, group_no, slot, blocks, is_complete)
     select 'transactions', -1 - n, -1 - n, 0, n, 1, false from generate_series(0, 31) n where n <> 7`,
  )
  const done = await fill()
  await query('delete from hash_filters where from_lt < 0')
  expect(done.length).toBeGreaterThan(40)
  const found = await filters()
  expect(found.map(({ name }) => name).sort()).toEqual([...done].sort())
  expect(new Set(found.map(({ group, slot }) => `${group} ${slot}`)).size).toBe(found.length)
  const small = found.filter(({ group }) => group === 0)
  expect(small.map(({ table, slot }) => [table, slot])).toEqual([['transactions', 7]])
  await expectAllHashes()
  const unknown = Array.from({ length: 500 }, (_, n) => createHash('sha256').update(`${n}`).digest())
  // Of 500 in each of some 20.
  expect((await having('messages', unknown)).length).toBeLessThan(100)
  const pairs = unknown.map((_, n) => pairKeys({ source: -1n - BigInt(n), destination: 1n + BigInt(n) })[0]!)
  expect((await having('messages', pairs)).length).toBeLessThan(100)
  // No larger than what it has needs, though many messages have the same pairs.
  for (const { name, blocks } of await query<{ name: string; blocks: number }>(
    "select of_table || '_lt_' || from_lt as name, blocks from hash_filters where of_table = 'messages'",
  )) {
    const hashes = await query<{ hash: Buffer }>(`select hash from ${name}`)
    const keys = [...hashes.map(({ hash }) => hash), ...(await keysOf(name)).map(({ key }) => key)]
    expect(blocks * 80).toBeLessThan(2.2 * new Set(keys.map((key) => key.toString('hex'))).size + 80)
    expect(blocks * 80).toBeGreaterThan(0.98 * new Set(keys.map((key) => key.toString('hex'))).size)
  }
  // That of the head is not finished.
  const [newest] = await query<{ name: string }>(
    `select tableoid::regclass::text as name from transactions order by lt desc limit 1`,
  )
  expect(done).not.toContain(newest!.name)
  expect(await fill()).toEqual([])
})

test('a filter that is larger than the memory for it is the same', async () => {
  // What is left of a larger group.
  await query(`insert into hash_filter_bits select max(group_no) + 1, n, '\\x01'
    from hash_filters, generate_series(0, 99) n group by n`)
  // One of each table, in several blocks; that of messages would be larger if all pairs were different.
  const several = (await filters()).filter(({ blocks }) => blocks > 1)
  const rowsOf = async ({ name }: FilteredPartition) => (await query(`select from ${name}`)).length
  const partitions = [several.find(({ table }) => table === 'transactions')!]
  for (const one of several)
    if (one.table === 'messages' && (await rowsOf(one)) * 4 > one.blocks * 80) partitions.push(one)
  expect(partitions.length).toBeGreaterThan(1)
  const client = await scratch.pool.connect()
  try {
    for (const partition of partitions.slice(0, 2)) {
      const whole = await contents()
      for (const memoryBlocks of new Set([1, partition.blocks - 1])) {
        await query(
          'update hash_filter_bits set bits = decode(repeat($1, length(bits)), $2) where group_no = $3',
          [...['ff', 'hex'], partition.group],
        )
        await query('update hash_filters set is_complete = false where group_no = $1', [partition.group])
        expect(await writeFilter(client, partition, signal, memoryBlocks)).toBe(true)
        await fill()
        await expectAllHashes()
        expect(await contents()).toEqual(whole)
      }
    }
  } finally {
    client.release()
  }
})

type Run = () => Promise<pg.QueryResult>

/** A pool whose connections leave it to `around` to run each statement. */
function poolAround(
  around: (text: string, run: Run, client: pg.PoolClient) => Promise<pg.QueryResult>,
): pg.Pool {
  const connect = async () => {
    const client = await scratch.pool.connect()
    const { query, release } = client
    client.query = ((...all: Parameters<typeof query>) =>
      around(String(all[0]), query.bind(client, ...all) as unknown as Run, client)) as typeof query
    client.release = (error) => {
      Object.assign(client, { query, release })
      release.call(client, error)
    }
    return client
  }
  return { connect, query: scratch.pool.query.bind(scratch.pool) } as unknown as pg.Pool
}

/** Runs `act` before the first statement that matches. */
function poolWith(pattern: RegExp, act: (client: pg.PoolClient) => Promise<unknown>): pg.Pool {
  let isDone = false
  return poolAround(async (text, run, client) => {
    if (!isDone && pattern.test(text)) {
      isDone = true
      await act(client)
    }
    return run()
  })
}

const BLOCK = { from: 30, to: 30 }
const repair = () => sink.repairRange(BLOCK, batches.slice(BLOCK.from - 1, BLOCK.to))
const holdsBlock = (from: bigint, to: bigint) => {
  const { ltRange } = batches[BLOCK.from - 1]!
  return from <= ltRange!.from && ltRange!.from < to
}
const outOfForce = async () => (await filters()).filter(({ complete }) => !complete).map(({ name }) => name)

test('what is written to a partition puts its filter out of force, until that is made again', async () => {
  // Blocks may reach into an archived partition, of which nothing can be written.
  await query(`insert into archived_partitions (from_lt, to_lt, server, state)
    select distinct from_lt, to_lt, '', 2 from hash_filters`)
  await repair()
  expect(await outOfForce()).toEqual([])
  // One that has returned has perhaps still to be removed there.
  await query('update archived_partitions set state = 4')
  await repair()
  const out = await outOfForce()
  await query('delete from archived_partitions')
  const [{ name } = { name: '' }] = await query<{ name: string }>(
    `select tableoid::regclass::text as name from transactions where mc_block_seqno = 30 limit 1`,
  )
  expect(out).toContain(name)
  expect(out.length).toBeLessThanOrEqual(4)
  // Not at once: more may be on its way.
  expect(await fill({ restSeconds: 3_600 })).toEqual([])
  expect([...(await fill())].sort()).toEqual([...out].sort())
  await expectAllHashes()
})

test('a message that is received later writes nothing to the partition of its sender', async () => {
  const all = await filters()
  const isIn = (lt: bigint) => (one: FilteredPartition) => one.from <= lt && lt < one.to
  const cases = batches.flatMap(({ ltRange, oldLts, mcBlockSeqno }) => {
    const old = all.filter((one) => one.to <= (ltRange?.from ?? 0n) && oldLts.some((lt) => isIn(lt)(one)))
    return old.length > 0 ? [{ mcBlockSeqno, names: old.map(({ name }) => name) }] : []
  })
  expect(cases.length).toBeGreaterThan(0)
  const { mcBlockSeqno: at, names } = cases[0]!
  await sink.repairRange({ from: at, to: at }, batches.slice(at - 1, at))
  const out = await outOfForce()
  expect(names.filter((name) => out.includes(name))).toEqual([])
  await fill()
})

test('of blocks that are missing nothing is known', async () => {
  await query('delete from hash_filters')
  await fill()
  const all = await filters()
  // The place that it leaves, behind others, is the first one that it finds.
  const group = Math.min(...all.filter(({ slot }) => slot > 0).map((one) => one.group))
  const one = all.filter((filter) => filter.group === group).sort((a, b) => b.slot - a.slot)[0]!
  await query('delete from hash_filter_bits where group_no = $1', [one.group])
  await query('delete from hash_filters where of_table = $1 and from_lt = $2', [one.table, one.from])
  expect(await fill()).toEqual([one.name])
  expect(await filters()).toEqual(all)
  await expectAllHashes()
  await query('delete from hash_filters')
  await fill()
})

test('before its filter is made, a partition is looked for once more, alone', async () => {
  await query('delete from hash_filters')
  const found: (number | null)[] = []
  const pool = poolAround(async (text, run) => {
    const result = await run()
    if (text.includes('left join hash_filters')) found.push(result.rowCount)
    return result
  })
  const done = await fill({ pool })
  expect(done.length).toBeGreaterThan(1)
  expect(found).toEqual(done.map(() => 1))
})

test('one that fails rests, and the others are made', async () => {
  const before = await filters()
  await query('delete from hash_filters where slot > 0')
  const failed: string[] = []
  const failing = poolWith(/string_agg/, async () => {
    throw new Error('unreadable')
  })
  const onError = (error: unknown, { name }: FilteredPartition) => failed.push(`${name}: ${error}`)
  expect(await fillHashFilters(failing, { signal, onError })).toBe(true)
  const [first] = await outOfForce()
  expect(failed).toEqual([`${first}: Error: unreadable`])
  expect(await filters()).toHaveLength(before.length)
  expect(await fill({ restSeconds: 3_600 })).toEqual([])
  expect(await fill()).toEqual([first])
  await expectAllHashes()
})

test('a filter is not in force if a row came while it was made', async () => {
  for (const moment of [/string_agg/, /insert into hash_filter_bits/, /set is_complete/]) {
    const one = (await filters()).find(
      ({ table, from, to }) => table === 'transactions' && holdsBlock(from, to),
    )!
    await query('update hash_filters set is_complete = false where of_table = $1 and from_lt = $2', [
      ...[one.table, one.from],
    ])
    expect([moment, await fill({ pool: poolWith(moment, repair) })]).toEqual([moment, []])
    expect(await outOfForce()).toContain(one.name)
    await fill()
    expect(await outOfForce()).toEqual([])
    await expectAllHashes()
  }
})

test('a row that is being committed when a filter is begun is in it', async () => {
  const partition = (await filters()).find(({ table }) => table === 'transactions')!
  const hash = createHash('sha256').update('late').digest()
  const [writer, client] = [await scratch.pool.connect(), await scratch.pool.connect()]
  try {
    // As the sink does: rows, then the lock, under which it leaves word.
    await writer.query('begin')
    await writer.query(
      `insert into ${partition.name} select (jsonb_populate_record(t, jsonb_build_object(
         'hash', $1::text, 'account_id', 1))).* from ${partition.name} t limit 1`,
      [`\\x${hash.toString('hex')}`],
    )
    await writer.query('select pg_advisory_xact_lock($1, 0)', [0x53570016])
    let isDone = false
    const writing = writeFilter(client, partition, signal).finally(() => {
      isDone = true
    })
    const waits = 'select from pg_locks where not granted and locktype = $1'
    await expect.poll(async () => (await query(waits, ['advisory'])).length).toBe(1)
    expect(isDone).toBe(false)
    await writer.query('commit')
    expect(await writing).toBe(true)
    expect(await having('transactions', [hash])).toContain(partition.name)
  } finally {
    writer.release()
    client.release()
  }
})

test('interrupted at any statement, the next run goes on', async () => {
  await query('delete from hash_filters')
  await fill()
  const whole = await contents()
  await query('delete from hash_filters')
  for (const moment of [/string_agg/, /insert into hash_filter_bits/, /set is_complete/, /^rollback/]) {
    const failing = poolWith(moment, async () => {
      throw new Error('stopped')
    })
    await expect(fillHashFilters(failing, { signal })).rejects.toThrow('stopped')
    await expectAllHashes()
  }
  await fill()
  expect(await contents()).toEqual(whole)
})

test('others are made while an interrupted one rests', async () => {
  const whole = await contents()
  await query('delete from hash_filters where slot > 0')
  await query('update hash_filter_bits set bits = substr(bits, 1, 120)')
  const failing = poolWith(/insert into hash_filter_bits/, async () => {
    throw new Error('stopped')
  })
  await expect(fillHashFilters(failing, { signal })).rejects.toThrow('stopped')
  await query('update hash_filters set written_at = now() where not is_complete')
  expect(await fill({ restSeconds: 3_600 })).not.toEqual([])
  await expectAllHashes()
  expect(await fill()).toHaveLength(1)
  expect(await contents()).toEqual(whole)
})

test('one process at a time; places of dropped partitions are used again', async () => {
  const before = await filters()
  const cut = before[Math.floor(before.length / 2)]!.to
  const busy = poolWith(/string_agg/, async () => {
    expect(await fillHashFilters(scratch.pool, { signal })).toBe(false)
    // Not while one of its partitions is read.
    expect(await dropPartitions(scratch.pool, cut)).toBe(false)
  })
  await query('update hash_filters set is_complete = false where slot = 3')
  await fill({ pool: busy })
  expect(await dropPartitions(scratch.pool, cut)).toBe(true)
  const left = await filters()
  expect(left.map(({ to }) => to > cut)).toEqual(left.map(() => true))
  expect(left.length).toBeLessThan(before.length)
  const places = (all: typeof left) => new Set(all.map(({ group, slot }) => `${group} ${slot}`))
  await query('delete from hash_filters where slot > 3')
  await fill()
  await expectAllHashes()
  const now = await filters()
  expect(places(now).size).toBe(now.length)
  expect(Math.max(...now.map(({ slot }) => slot))).toBeLessThan(Math.max(...before.map(({ slot }) => slot)))
})
