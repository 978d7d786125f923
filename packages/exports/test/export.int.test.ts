import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATASETS } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  exportPartition,
  type FileFormat,
  type PartitionOptions,
  problemsOf,
  readManifest,
} from '../src/index.ts'

const LAST = 529
let scratch: ScratchDatabase
let folder: string
beforeAll(async () => {
  scratch = await classifiedChain()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-export-'))
})
afterAll(async () => {
  await scratch?.close()
  await rm(folder, { recursive: true, force: true })
})

const datasetOf = (name: string) => DATASETS.find((one) => one.name === name)!

function request(name: string, format: FileFormat, more: Partial<PartitionOptions> = {}): PartitionOptions {
  const dataset = datasetOf(name)
  return {
    folder: join(folder, name, format),
    columns: Object.keys({ ...dataset.columns, ...dataset.bocs }),
    ...(dataset.kind === 'range' && { range: { from: 1, to: LAST } }),
    ...{ dataset, format, csvSafe: false, complete: true, gaps: [], globalId: -239 },
    ...{ maxRowsPerFile: 2_000_000, force: false },
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

/** As NDJSON shows it. */
function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return value instanceof Date ? value.toISOString() : (value ?? null)
}

const TABLES: Readonly<Record<string, string>> = {
  blocks: 'select count(*) from blocks',
  transactions: 'select count(*) from transactions',
  messages: `select sum(out_msg_count + (in_msg_lt is not null)::int) as count from transactions`,
  balances_history: 'select count(*) from transactions where balance_after is not null',
  jetton_transfers: 'select count(*) from jetton_transfers where confirmed',
  jetton_burns: 'select count(*) from jetton_burns where confirmed',
  nft_transfers: 'select count(*) from nft_transfers where confirmed',
  actions: 'select count(*) from actions',
  traces: 'select count(*) from traces where state = 0',
  latest_balances:
    'select (select count(*) from latest_account_states) + (select count(*) from jetton_wallets) as count',
}

describe.each(DATASETS.map(({ name }) => name))('%s', (name) => {
  test('Parquet, NDJSON and CSV hold the same rows, all of the table', async () => {
    const { rows } = await scratch.pool.query<{ count: string }>(TABLES[name]!)
    const manifests = []
    for (const format of ['parquet', 'ndjson', 'csv'] as const)
      manifests.push((await exportPartition(scratch, request(name, format))).manifest)
    for (const manifest of manifests) expect(String(manifest.rows)).toBe(String(rows[0]!.count))

    const file = (format: string) => join(folder, name, format, `part-00000.${format}`)
    const lines = (await linesOf(file('ndjson'))).map((line) => JSON.parse(line) as Record<string, unknown>)
    const decimals = Object.entries({ ...datasetOf(name).columns }).flatMap(([column, [type]]) =>
      /^d/.test(type) ? [column] : [],
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

test('the same range makes the same bytes, also after kills; what is there is left alone', async () => {
  for (const format of ['parquet', 'ndjson', 'csv'] as const) {
    const first = await contentOf(join(folder, 'messages', format))
    const again = request('messages', format, { folder: join(folder, 'again', format) })
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
  const options = request('transactions', 'ndjson', { folder: join(folder, 'parts'), maxRowsPerFile: 3000 })
  const { manifest } = await exportPartition(scratch, options)
  expect(manifest.parts.map(({ rows }) => rows)).toEqual([3000, 3000, 1637])
  const parts = await Promise.all(manifest.parts.map(({ file }) => linesOf(join(options.folder, file))))
  expect(parts.flat()).toEqual(await linesOf(join(folder, 'transactions', 'ndjson', 'part-00000.ndjson')))
})

test('partitions together are the whole range', async () => {
  const lines: string[] = []
  for (const [from, to] of [
    [1, 200],
    [201, 201],
    [202, LAST],
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
  const options = request('jetton_transfers', 'ndjson', { folder: join(folder, 'sizes') })
  await exportPartition(scratch, options)
  const found = (await linesOf(join(options.folder, 'part-00000.ndjson')))
    .map((line) => JSON.parse(line) as { amount: string | null; amount_text: string })
    .filter(({ amount_text }) => sizes.map(String).includes(amount_text))
  expect(Object.fromEntries(found.map((row) => [row.amount_text, row.amount]))).toEqual(
    Object.fromEntries(
      sizes.map((size) => [String(size), size >= 0n && size < 10n ** 38n ? String(size) : null]),
    ),
  )
  await exportPartition(scratch, request('jetton_transfers', 'parquet', { folder: join(folder, 'large') }))
})
