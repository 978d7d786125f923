import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Builder, serializeBoc } from '@shardwalk/cells'
import { DATASETS } from '@shardwalk/db'
import { isLong } from '@shardwalk/testkit/runs'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartitionOptions } from '../src/export-partition.ts'
import { exportPartition, type FileFormat, readManifest } from '../src/index.ts'
import { PUBLIC_COLUMNS } from './public-columns.ts'
import { datasetOf, linesOf, SampleExports } from './requests.ts'
import { BUSY, SAMPLE, WHOLE } from './sample-range.ts'

/** What is in the files: rows, columns and values. */

let sample: SampleExports
beforeAll(async () => {
  sample = await SampleExports.open()
})
afterAll(() => sample?.close())

/** Rows of a range as NDJSON. */
async function exportedLines(name: string, range: { from: number; to: number }): Promise<string[]> {
  const options = sample.request(name, 'ndjson', {
    folder: join(sample.folder, 'lines', name),
    range,
    contentChecksum: false,
  })
  await exportPartition(sample.scratch, options)
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
    const { rows } = await sample.scratch.pool.query<{ count: string }>(`${OF_SAMPLE} ${TABLES[name]}`)
    const manifests = []
    for (const format of ['parquet', 'ndjson', 'csv'] as const)
      manifests.push((await exportPartition(sample.scratch, sample.request(name, format))).manifest)
    for (const manifest of manifests) {
      expect(String(manifest.rows)).toBe(String(rows[0]!.count))
      expect(manifest.content_sha256).toBe(manifests[0]!.content_sha256)
    }

    const file = (format: string) => join(sample.folder, name, format, `part-00000.${format}`)
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
  const { rows: stored } = await sample.scratch.pool.query(
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
  const blocks = await sample.scratch.pool.query(
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
    (await linesOf(join(sample.folder, name, 'ndjson', 'part-00000.ndjson'))).map(
      (line) => JSON.parse(line) as R,
    )
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
  const { rows } = await sample.scratch.pool.query<{ id: bigint; count: string }>(
    `select account_id as id, count(*) from transactions group by 1 order by count(*) desc limit 1 offset 3`,
  )
  const { id, count } = rows[0]!
  const more = {
    ...{ folder: join(sample.folder, 'filtered'), range: WHOLE },
    ...{ filters: { account: ['x'] }, matching: { account: [id] } },
  }
  const options = sample.request('transactions', 'csv', more)
  expect((await exportPartition(sample.scratch, options)).manifest.rows).toBe(Number(count))
  await expect(exportPartition(sample.scratch, { ...options, filters: {} })).rejects.toThrow(
    /with other filters/,
  )
  const swaps = sample.request('actions', 'csv', {
    ...{ folder: join(sample.folder, 'swaps'), range: WHOLE, filters: { type: ['jetton_swap'] } },
    matching: { type: ['jetton_swap', "o'"] },
  })
  const { rows: actions } = await sample.scratch.pool.query(
    "select count(*)::int as n from actions where type = 'jetton_swap'",
  )
  expect((await exportPartition(sample.scratch, swaps)).manifest.rows).toBe(actions[0].n)
})

test('swaps of all exchanges that the classifier knows have a project and a version', async () => {
  const { project, version } = datasetOf('dex_trades').columns
  const dexes = ['stonfi', 'stonfi_v2', 'dedust', 'dedust_v2', 'tonco', 'coffee', 'another']
  const { rows } = await sample.scratch.pool.query(
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
  const plain = await readFile(join(sample.folder, 'blocks', 'ndjson', 'part-00000.ndjson'))
  const gzip = sample.request('blocks', 'ndjson', { folder: join(sample.folder, 'gzip'), gzip: true })
  const { manifest } = await exportPartition(sample.scratch, gzip)
  expect(gunzipSync(await readFile(join(gzip.folder, 'part-00000.ndjson.gz')))).toEqual(plain)
  expect(manifest.compression).toBe('gzip')
  const bare = sample.request('blocks', 'parquet', {
    folder: join(sample.folder, 'bare'),
    compression: 'none',
  })
  const { manifest: uncompressed } = await exportPartition(sample.scratch, bare)
  expect(uncompressed.content_sha256).toBe(manifest.content_sha256)
  const snappy = await readManifest(join(sample.folder, 'blocks', 'parquet'))
  expect(uncompressed.parts[0]!.bytes).toBeGreaterThan(snappy!.parts[0]!.bytes)
})

test('parts are cut by rows, and read together they are the whole', async () => {
  const [most, rest] = isLong ? [3000, 1637] : [200, 63]
  const options = sample.request('transactions', 'ndjson', {
    folder: join(sample.folder, 'parts'),
    maxRowsPerFile: most,
  })
  const { manifest } = await exportPartition(sample.scratch, options)
  expect(manifest.parts.map(({ rows }) => rows)).toEqual([most, most, rest])
  const parts = await Promise.all(manifest.parts.map(({ file }) => linesOf(join(options.folder, file))))
  expect(parts.flat()).toEqual(
    await linesOf(join(sample.folder, 'transactions', 'ndjson', 'part-00000.ndjson')),
  )
})

test('partitions together are the whole range', async () => {
  const lines: string[] = []
  for (const [from, to] of [
    [SAMPLE.from, 300],
    [301, 301],
    [302, SAMPLE.to],
  ] as const) {
    const options = sample.request('messages', 'csv', {
      folder: join(sample.folder, `${from}`),
      range: { from, to },
    })
    await exportPartition(sample.scratch, options)
    lines.push(...(await linesOf(join(options.folder, 'part-00000.csv'))).slice(1))
  }
  expect(lines).toEqual((await linesOf(join(sample.folder, 'messages', 'csv', 'part-00000.csv'))).slice(1))
})

test('amounts of any size are never clamped: null, and exact in the text beside', async () => {
  const sizes = [0n, 2n ** 63n, 2n ** 120n - 1n, 10n ** 38n - 1n, 10n ** 38n, 2n ** 256n - 1n, -1n]
  const { rows: keys } = await sample.scratch.pool.query<{ account_id: bigint; lt: bigint }>(
    'select account_id, lt from jetton_transfers where confirmed order by lt limit 7',
  )
  for (const [at, { account_id, lt }] of keys.entries())
    await sample.scratch.pool.query(
      'update jetton_transfers set amount = $1 where account_id = $2 and lt = $3',
      [String(sizes[at]), account_id, lt],
    )
  const options = sample.request('jetton_transfers', 'ndjson', {
    folder: join(sample.folder, 'sizes'),
    range: WHOLE,
  })
  await exportPartition(sample.scratch, options)
  const found = (await linesOf(join(options.folder, 'part-00000.ndjson')))
    .map((line) => JSON.parse(line) as { amount: string | null; amount_text: string })
    .filter(({ amount_text }) => sizes.map(String).includes(amount_text))
  expect(Object.fromEntries(found.map((row) => [row.amount_text, row.amount]))).toEqual(
    Object.fromEntries(
      sizes.map((size) => [String(size), size >= 0n && size < 10n ** 38n ? String(size) : null]),
    ),
  )
  await exportPartition(
    sample.scratch,
    sample.request('jetton_transfers', 'parquet', { folder: join(sample.folder, 'large'), range: WHOLE }),
  )
})

const commentBody = (text: string): Buffer =>
  serializeBoc(new Builder().storeUint(0, 32).storeBytes(Buffer.from(text)).endCell())

test('comments of strangers are the same in every format', async () => {
  const comments = ['=1+1', 'a"b,c\nd\te', '\u202Eexe.gpj', '-2+3', "'", '\\N', '\\x00', 'ж'.repeat(50), '']
  const { rows: keys } = await sample.scratch.pool.query<{ account_id: bigint; lt: bigint }>(
    'select account_id, lt from messages where kind = 0 and opcode = 0 and flags & 8 = 0 order by lt limit 9',
  )
  for (const [at, { account_id, lt }] of keys.entries()) {
    const body = commentBody(comments[at]!)
    await sample.scratch.pool.query('update messages set body = $1 where account_id = $2 and lt = $3', [
      body,
      account_id,
      lt,
    ])
  }
  const columns = ['msg_hash', 'comment']
  const read = async (format: FileFormat, more: Partial<PartitionOptions> = {}) => {
    const options = sample.request('messages', format, {
      folder: join(sample.folder, `hostile-${format}`),
      columns,
      range: { from: 1, to: isLong ? WHOLE.to : 40 },
      ...more,
    })
    const { manifest } = await exportPartition(sample.scratch, options)
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
