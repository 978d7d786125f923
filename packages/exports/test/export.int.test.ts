import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Builder, serializeBoc } from '@shardwalk/cells'
import { DATASETS, SchemaTooNew } from '@shardwalk/db'
import { randomFrom, type ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  exportPartition,
  type FileFormat,
  type PartitionOptions,
  problemsOf,
  readManifest,
  WritingThread,
} from '../src/index.ts'

import { PUBLIC_COLUMNS } from './public-columns.ts'
import { BUSY, SAMPLE, WHOLE } from './sample-range.ts'

/** Several parts of messages. */
const SOME = isLong ? { from: 1, to: 160 } : { from: 310, to: SAMPLE.to }
const ROWS_OF_PART = isLong ? 200 : 60
const KILLS = isLong ? 20 : 2
let scratch: ScratchDatabase
let folder: string
let thread: WritingThread
beforeAll(async () => {
  scratch = await classifiedChain()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-export-'))
  thread = new WritingThread()
})
afterAll(async () => {
  await thread?.close()
  await scratch?.close()
  await rm(folder, { recursive: true, force: true })
})

const datasetOf = (name: string) => DATASETS.find((one) => one.name === name)!

function request(name: string, format: FileFormat, more: Partial<PartitionOptions> = {}): PartitionOptions {
  const dataset = datasetOf(name)
  return {
    folder: join(folder, name, format),
    columns: Object.keys({ ...dataset.columns, ...dataset.bocs }),
    ...(dataset.kind === 'range' && { range: SAMPLE }),
    ...{ dataset, format, csvSafe: false, complete: true, gaps: [], globalId: -239, filters: {} },
    ...{ maxRowsPerFile: 2_000_000, force: false, matching: {}, contentChecksum: true, gzip: false },
    ...{ compression: 'snappy', partition: null },
    ...more,
  }
}

/** Every file of a folder with its content. */
async function contentOf(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path)).sort()
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, (await readFile(join(path, name))).toString('base64')]),
    ),
  )
}

const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').slice(0, -1)

/** Rows of a range as NDJSON. */
async function exportedLines(name: string, range: { from: number; to: number }): Promise<string[]> {
  const options = request(name, 'ndjson', {
    folder: join(folder, 'lines', name),
    range,
    contentChecksum: false,
  })
  await exportPartition(scratch, options)
  return linesOf(join(options.folder, 'part-00000.ndjson'))
}

/** As NDJSON shows it. */
function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return value instanceof Date ? value.toISOString() : (value ?? null)
}

const ofBlocks = (column: string) => `where ${column} between ${SAMPLE.from} and ${SAMPLE.to}`
const ofTransactions = (table: string) =>
  `select e.* from ${table} e join transactions using (account_id, lt)`

/** In front of a query: the tables have the rows of the blocks that are looked at. */
const OF_SAMPLE = `with blocks as (select * from blocks ${ofBlocks('mc_block_seqno')}),
  transactions as (select * from transactions ${ofBlocks('mc_block_seqno')}),
  jetton_transfers as (${ofTransactions('jetton_transfers')}),
  jetton_burns as (${ofTransactions('jetton_burns')}),
  nft_transfers as (${ofTransactions('nft_transfers')}),
  actions as (select * from actions ${ofBlocks('trace_mc_seqno_end')}),
  traces as (select * from traces ${ofBlocks('mc_seqno_end')})`

const TABLES: Readonly<Record<string, string>> = {
  blocks: 'select count(*) from blocks',
  transactions: 'select count(*) from transactions',
  messages: `select sum(out_msg_count + (in_msg_lt is not null)::int) as count from transactions`,
  balances_history: `select (select count(*) from transactions where balance_after is not null) + (
      select count(*) from transactions t join jetton_wallets w using (account_id)
      where balance_after is not null and (jetton_balance is not null or end_status <> 2)) as count`,
  jetton_transfers: 'select count(*) from jetton_transfers where confirmed',
  jetton_burns: 'select count(*) from jetton_burns where confirmed',
  nft_transfers: 'select count(*) from nft_transfers where confirmed',
  actions: 'select count(*) from actions',
  traces: 'select count(*) from traces where state = 0',
  account_states: 'select count(*) from transactions where balance_after is not null',
  action_accounts: 'select sum(cardinality(account_ids_in(account_ids))) as count from actions',
  dex_trades: "select count(*) from actions where type = 'jetton_swap' and success",
  jetton_events: `select (select count(*) from jetton_transfers where confirmed)
    + (select count(*) from jetton_burns where confirmed) + (
      select count(*) from transactions t join jetton_wallets w using (account_id)
      join messages m on m.account_id = t.in_msg_account_id and m.lt = t.in_msg_lt
      where m.opcode = 395134233 and not exists (
        select from jetton_transfers j
        where j.account_id = m.account_id and j.lt < m.lt and m.lt <= j.lt + 255)
    ) as count`,
  accounts: 'select count(*) from latest_account_states',
  jetton_metadata: 'select count(*) from jetton_masters',
  nft_items: 'select count(*) from nft_items',
  nft_metadata: 'select (select count(*) from nft_items) + (select count(*) from nft_collections) as count',
  dns_records: 'select count(*) from dns_entries',
  jetton_holders: 'select count(*) from jetton_wallets where balance > 0',
  latest_balances:
    'select (select count(*) from latest_account_states) + (select count(*) from jetton_wallets) as count',
}

describe.each(DATASETS.map(({ name }) => name))('%s', (name) => {
  test('Parquet, NDJSON and CSV hold the same rows, all of the table', async () => {
    const { rows } = await scratch.pool.query<{ count: string }>(`${OF_SAMPLE} ${TABLES[name]}`)
    const manifests = []
    for (const format of ['parquet', 'ndjson', 'csv'] as const)
      manifests.push((await exportPartition(scratch, request(name, format))).manifest)
    for (const manifest of manifests) {
      expect(String(manifest.rows)).toBe(String(rows[0]!.count))
      expect(manifest.content_sha256).toBe(manifests[0]!.content_sha256)
    }

    const file = (format: string) => join(folder, name, format, `part-00000.${format}`)
    const lines = (await linesOf(file('ndjson'))).map((line) => JSON.parse(line) as Record<string, unknown>)
    const decimals = Object.entries({ ...datasetOf(name).columns }).flatMap(([column, [type]]) =>
      /^(d|ton)/.test(type) ? [column] : [],
    )
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(file('parquet')), utf8: false })
    // The reader makes floats of decimals.
    const asRead = ([column, value]: [string, unknown]) => [
      column,
      decimals.includes(column) && value !== null && value !== undefined ? Number(value) : shown(value),
    ]
    const rowsOf = (list: readonly Record<string, unknown>[]) =>
      list.map((row) => JSON.stringify(Object.entries(row).map(asRead)))
    expect(rowsOf(read)).toEqual(rowsOf(lines))
    const header = (await linesOf(file('csv')))[0]
    expect(header).toBe(manifests[0]!.columns.join(','))
  })
})

test.each(Object.entries(PUBLIC_COLUMNS))('%s has the columns of the public data lake', (name, columns) => {
  const { columns: own, bocs } = datasetOf(name)
  expect(Object.keys({ ...own, ...bocs })).toEqual(expect.arrayContaining(columns.split(/\s+/)))
})

test('transactions have all phases, as the API shows them', async () => {
  const lines = await exportedLines('transactions', BUSY)
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const { rows: stored } = await scratch.pool.query(
    "select encode(hash, 'base64') as hash, gas_used::text, exit_code, action_result_code from transactions",
  )
  const byHash = new Map(stored.map((row) => [row.hash, row]))
  for (const row of rows)
    expect(byHash.get(row['hash'])).toMatchObject({
      gas_used: row['compute_gas_used'],
      exit_code: row['compute_exit_code'],
      action_result_code: row['action_result_code'],
    })
  for (const column of ['bounce', 'skipped_reason', 'storage_status_change', 'compute_vm_steps'])
    expect([column, new Set(rows.map((row) => row[column])).size > 1]).toEqual([column, true])
  const blocks = await scratch.pool.query(
    `select count(distinct (workchain, shard, seqno))::int as n from blocks
     where tx_count > 0 and mc_block_seqno between $1 and $2`,
    [BUSY.from, BUSY.to],
  )
  const named = new Set(
    rows.map((row) => [row['block_workchain'], row['block_shard'], row['block_seqno']].join()),
  )
  expect(named.size).toBe(blocks.rows[0].n)
})

test('the newest balances over time are the latest ones, and holders hold the supply', async () => {
  type Row = Record<'address' | 'asset' | 'amount' | 'jetton_wallet', string>
  const rowsOf = async <R = Row>(name: string): Promise<R[]> =>
    (await linesOf(join(folder, name, 'ndjson', 'part-00000.ndjson'))).map((line) => JSON.parse(line) as R)
  const key = ({ address, asset, jetton_wallet: wallet }: Row) => `${address} ${asset} ${wallet}`
  const latest = new Map((await rowsOf('latest_balances')).map((row) => [key(row), row.amount]))
  const history = (await exportedLines('balances_history', WHOLE)).map((line) => JSON.parse(line) as Row)
  const newest = new Map(history.map((row) => [key(row), row.amount]))
  expect(newest.size).toBeGreaterThan(500)
  for (const [place, amount] of newest) expect([place, latest.get(place) ?? '0']).toEqual([place, amount])

  const held = new Map<string, bigint>()
  for (const [place, amount] of latest) {
    const [, asset = ''] = place.split(' ')
    held.set(asset, (held.get(asset) ?? 0n) + BigInt(amount))
  }
  const jettons = await rowsOf<{ address: string; total_supply: string }>('jetton_metadata')
  // The liquidity of a pool is in part its own.
  const whole = jettons.filter(({ address, total_supply: supply }) => held.get(address) === BigInt(supply))
  expect([jettons.length, whole.length]).toEqual([5, 4])
})

test('filters select rows and are part of what an export is', async () => {
  const { rows } = await scratch.pool.query<{ id: bigint; count: string }>(
    `select account_id as id, count(*) from transactions group by 1 order by count(*) desc limit 1 offset 3`,
  )
  const { id, count } = rows[0]!
  const more = {
    ...{ folder: join(folder, 'filtered'), range: WHOLE },
    ...{ filters: { account: ['x'] }, matching: { account: [id] } },
  }
  const options = request('transactions', 'csv', more)
  expect((await exportPartition(scratch, options)).manifest.rows).toBe(Number(count))
  await expect(exportPartition(scratch, { ...options, filters: {} })).rejects.toThrow(/with other filters/)
  const swaps = request('actions', 'csv', {
    ...{ folder: join(folder, 'swaps'), range: WHOLE, filters: { type: ['jetton_swap'] } },
    matching: { type: ['jetton_swap', "o'"] },
  })
  const { rows: actions } = await scratch.pool.query(
    "select count(*)::int as n from actions where type = 'jetton_swap'",
  )
  expect((await exportPartition(scratch, swaps)).manifest.rows).toBe(actions[0].n)
})

test('swaps of all exchanges that the classifier knows have a project and a version', async () => {
  const { project, version } = datasetOf('dex_trades').columns
  const dexes = ['stonfi', 'stonfi_v2', 'dedust', 'dedust_v2', 'tonco', 'coffee', 'another']
  const { rows } = await scratch.pool.query(
    `select ${project![1]} as project, ${version![1]} as version from (
       select json_build_object('jetton_swap_data', json_build_object('dex', dex)) as details
       from unnest($1::text[]) with ordinality as given(dex, n) order by n) d`,
    [dexes],
  )
  expect(rows.map((row) => `${row.project} ${row.version}`)).toEqual([
    'ston.fi 1',
    'ston.fi 2',
    'dedust 2',
    'dedust 3',
    'tonco 1',
    'coffee 1',
    'null null',
  ])
})

test('gzip and no compression change the bytes, not the content', async () => {
  const plain = await readFile(join(folder, 'blocks', 'ndjson', 'part-00000.ndjson'))
  const gzip = request('blocks', 'ndjson', { folder: join(folder, 'gzip'), gzip: true })
  const { manifest } = await exportPartition(scratch, gzip)
  expect(gunzipSync(await readFile(join(gzip.folder, 'part-00000.ndjson.gz')))).toEqual(plain)
  expect(manifest.compression).toBe('gzip')
  const bare = request('blocks', 'parquet', { folder: join(folder, 'bare'), compression: 'none' })
  const { manifest: uncompressed } = await exportPartition(scratch, bare)
  expect(uncompressed.content_sha256).toBe(manifest.content_sha256)
  const snappy = await readManifest(join(folder, 'blocks', 'parquet'))
  expect(uncompressed.parts[0]!.bytes).toBeGreaterThan(snappy!.parts[0]!.bytes)
})

test('the same range makes the same bytes, also after kills; what is there is left alone', async () => {
  for (const format of ['parquet', 'ndjson', 'csv'] as const) {
    const once = request('messages', format, { folder: join(folder, 'once', format), range: SOME })
    await exportPartition(scratch, once)
    const first = await contentOf(once.folder)
    const again = { ...once, folder: join(folder, 'again', format) }
    await exportPartition(scratch, again)
    expect(await contentOf(again.folder)).toEqual(first)
    expect((await exportPartition(scratch, again)).written).toBe(false)
    // What a kill leaves: a part of a file, no manifest.
    await rm(join(again.folder, '_manifest.json'))
    await writeFile(join(again.folder, `.part-00001.${format}.tmp`), 'half')
    expect((await exportPartition(scratch, again)).written).toBe(true)
    expect(await contentOf(again.folder)).toEqual(first)
  }
})

test('parts are cut by rows, and read together they are the whole', async () => {
  const [most, rest] = isLong ? [3000, 1637] : [200, 63]
  const options = request('transactions', 'ndjson', { folder: join(folder, 'parts'), maxRowsPerFile: most })
  const { manifest } = await exportPartition(scratch, options)
  expect(manifest.parts.map(({ rows }) => rows)).toEqual([most, most, rest])
  const parts = await Promise.all(manifest.parts.map(({ file }) => linesOf(join(options.folder, file))))
  expect(parts.flat()).toEqual(await linesOf(join(folder, 'transactions', 'ndjson', 'part-00000.ndjson')))
})

test('partitions together are the whole range', async () => {
  const lines: string[] = []
  for (const [from, to] of [
    [SAMPLE.from, 300],
    [301, 301],
    [302, SAMPLE.to],
  ] as const) {
    const options = request('messages', 'csv', { folder: join(folder, `${from}`), range: { from, to } })
    await exportPartition(scratch, options)
    lines.push(...(await linesOf(join(options.folder, 'part-00000.csv'))).slice(1))
  }
  expect(lines).toEqual((await linesOf(join(folder, 'messages', 'csv', 'part-00000.csv'))).slice(1))
})

test('another export in the folder is not overwritten, and damage is found', async () => {
  const options = request('blocks', 'csv', { folder: join(folder, 'other') })
  await exportPartition(scratch, options)
  const before = await contentOf(options.folder)
  for (const change of [
    { format: 'ndjson' as const },
    { columns: ['seqno'] },
    { csvSafe: true },
    { globalId: -3 },
  ])
    await expect(exportPartition(scratch, { ...options, ...change })).rejects.toThrow(
      /has an export with other/,
    )
  expect(await contentOf(options.folder)).toEqual(before)

  const manifest = (await readManifest(options.folder))!
  const path = join(options.folder, 'part-00000.csv')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('a', 'b'))
  expect(await problemsOf(options.folder, manifest, { hashes: true })).toEqual([
    `${path}: other content, by its SHA-256`,
  ])
  await writeFile(path, text.slice(1))
  expect(await problemsOf(options.folder, manifest, { hashes: false })).toEqual([
    expect.stringContaining('instead of'),
  ])
  // A partition with a damaged file is written again.
  await exportPartition(scratch, options)
  expect(await contentOf(options.folder)).toEqual(before)
})

test('rows of tables that a newer version has migrated meanwhile are no export', async () => {
  const future = "'29991231000000_future'"
  const options = request('blocks', 'ndjson', { folder: join(folder, 'migrated') })
  const turn = async () => {
    await scratch.pool.query(
      `insert into schema_migrations (name, timestamp) values (${future}, 'now') on conflict do nothing`,
    )
  }
  try {
    await expect(exportPartition(scratch, { ...options, turn })).rejects.toThrow(SchemaTooNew)
    expect(await readdir(options.folder)).toEqual([])
  } finally {
    await scratch.pool.query(`delete from schema_migrations where name = ${future}`)
  }
  expect((await exportPartition(scratch, options)).written).toBe(true)
})

test('amounts of any size are never clamped: null, and exact in the text beside', async () => {
  const sizes = [0n, 2n ** 63n, 2n ** 120n - 1n, 10n ** 38n - 1n, 10n ** 38n, 2n ** 256n - 1n, -1n]
  const { rows: keys } = await scratch.pool.query<{ account_id: bigint; lt: bigint }>(
    'select account_id, lt from jetton_transfers where confirmed order by lt limit 7',
  )
  for (const [at, { account_id, lt }] of keys.entries())
    await scratch.pool.query('update jetton_transfers set amount = $1 where account_id = $2 and lt = $3', [
      String(sizes[at]),
      account_id,
      lt,
    ])
  const options = request('jetton_transfers', 'ndjson', { folder: join(folder, 'sizes'), range: WHOLE })
  await exportPartition(scratch, options)
  const found = (await linesOf(join(options.folder, 'part-00000.ndjson')))
    .map((line) => JSON.parse(line) as { amount: string | null; amount_text: string })
    .filter(({ amount_text }) => sizes.map(String).includes(amount_text))
  expect(Object.fromEntries(found.map((row) => [row.amount_text, row.amount]))).toEqual(
    Object.fromEntries(
      sizes.map((size) => [String(size), size >= 0n && size < 10n ** 38n ? String(size) : null]),
    ),
  )
  await exportPartition(
    scratch,
    request('jetton_transfers', 'parquet', { folder: join(folder, 'large'), range: WHOLE }),
  )
})

test('an export by a thread that is interrupted again and again makes the same bytes', async () => {
  const seed = testSeed()
  console.log(`seed ${seed}`)
  const random = randomFrom(seed)
  const more = { maxRowsPerFile: ROWS_OF_PART, partition: null, range: SOME }
  const whole = request('messages', 'parquet', { folder: join(folder, 'whole'), ...more })
  const { manifest } = await exportPartition(scratch, whole)
  const options = request('messages', 'parquet', {
    folder: join(folder, 'interrupted'),
    open: thread.open,
    ...more,
  })
  for (let kill = 0; kill < KILLS; kill++) {
    let left = Math.floor(random() * manifest.rows)
    const onRows = (rows: number) => {
      left -= rows
      if (left <= 0) throw new Error('killed')
    }
    await expect(exportPartition(scratch, { ...options, onRows })).rejects.toThrow('killed')
    expect(await readdir(options.folder)).toEqual([])
    // A process that is killed removes nothing.
    for (const name of ['part-00000.parquet', `.part-0000${kill % 9}.parquet.tmp`])
      await writeFile(join(options.folder, name), 'half')
    expect(await readManifest(options.folder)).toBeUndefined()
  }
  await exportPartition(scratch, options)
  expect(await contentOf(options.folder)).toEqual(await contentOf(whole.folder))
})

test('a thread writes what the caller would write, and reports errors with their code', async () => {
  for (const format of ['parquet', 'ndjson', 'csv'] as const) {
    const of = (name: string) => ({ folder: join(folder, `${name}-${format}`), range: SOME })
    const here = await exportPartition(scratch, request('transactions', format, of('here')))
    const there = request('transactions', format, { ...of('thread'), open: thread.open })
    expect((await exportPartition(scratch, there)).manifest).toEqual(here.manifest)
  }
  const full = { dataset: 'blocks', columns: ['seqno'], format: 'parquet', path: '/dev/full' } as const
  if (existsSync(full.path))
    await expect((await thread.open(full)).close()).rejects.toMatchObject({ code: 'ENOSPC' })
  await expect(thread.open({ ...full, path: folder })).rejects.toMatchObject({ code: 'EISDIR' })
})

const commentBody = (text: string): Buffer =>
  serializeBoc(new Builder().storeUint(0, 32).storeBytes(Buffer.from(text)).endCell())

test('comments of strangers are the same in every format', async () => {
  const comments = ['=1+1', 'a"b,c\nd\te', '\u202Eexe.gpj', '-2+3', "'", '\\N', '\\x00', 'ж'.repeat(50), '']
  const { rows: keys } = await scratch.pool.query<{ account_id: bigint; lt: bigint }>(
    'select account_id, lt from messages where kind = 0 and opcode = 0 and flags & 8 = 0 order by lt limit 9',
  )
  for (const [at, { account_id, lt }] of keys.entries()) {
    const body = commentBody(comments[at]!)
    await scratch.pool.query('update messages set body = $1 where account_id = $2 and lt = $3', [
      body,
      account_id,
      lt,
    ])
  }
  const columns = ['msg_hash', 'comment']
  const read = async (format: FileFormat, more: Partial<PartitionOptions> = {}) => {
    const options = request('messages', format, {
      folder: join(folder, `hostile-${format}`),
      columns,
      range: { from: 1, to: isLong ? WHOLE.to : 40 },
      ...more,
    })
    const { manifest } = await exportPartition(scratch, options)
    return { path: join(options.folder, `part-00000.${format}`), manifest }
  }
  const ndjson = await read('ndjson')
  const shownComments = (await linesOf(ndjson.path)).map(
    (line) => (JSON.parse(line) as { comment: string }).comment,
  )
  expect(shownComments).toEqual(expect.arrayContaining(comments))
  const parquet = await read('parquet')
  const objects = await parquetReadObjects({ file: await asyncBufferFromFile(parquet.path) })
  expect(objects.map((row) => row['comment'] ?? null)).toEqual(shownComments)
  const csv = await readFile((await read('csv', { csvSafe: true })).path, 'utf8')
  for (const text of [`,'=1+1\n`, `,"a""b,c\nd\te"\n`, `,'-2+3\n`, ',""\n', ',\\N\n'])
    expect(csv).toContain(text)
})
