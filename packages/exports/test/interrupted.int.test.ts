import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SchemaTooNew } from '@shardwalk/db'
import { randomFrom } from '@shardwalk/testkit'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportPartition, problemsOf, readManifest, WritingThread } from '../src/index.ts'
import { contentOf, SampleExports } from './requests.ts'
import { SAMPLE } from './sample-range.ts'

/** The same bytes whatever happens meanwhile: kills, damage, other exports, migrations. */

/** Several parts of messages. */
const SOME = isLong ? { from: 1, to: 160 } : { from: 310, to: SAMPLE.to }
const ROWS_OF_PART = isLong ? 200 : 60
const KILLS = isLong ? 20 : 2
let sample: SampleExports
let thread: WritingThread
beforeAll(async () => {
  sample = await SampleExports.open()
  thread = new WritingThread()
})
afterAll(async () => {
  await thread?.close()
  await sample?.close()
})

test('the same range makes the same bytes, also after kills; what is there is left alone', async () => {
  for (const format of ['parquet', 'ndjson', 'csv'] as const) {
    const once = sample.request('messages', format, {
      folder: join(sample.folder, 'once', format),
      range: SOME,
    })
    await exportPartition(sample.scratch, once)
    const first = await contentOf(once.folder)
    const again = { ...once, folder: join(sample.folder, 'again', format) }
    await exportPartition(sample.scratch, again)
    expect(await contentOf(again.folder)).toEqual(first)
    expect((await exportPartition(sample.scratch, again)).written).toBe(false)
    // What a kill leaves: a part of a file, no manifest.
    await rm(join(again.folder, '_manifest.json'))
    await writeFile(join(again.folder, `.part-00001.${format}.tmp`), 'half')
    expect((await exportPartition(sample.scratch, again)).written).toBe(true)
    expect(await contentOf(again.folder)).toEqual(first)
  }
})

test('another export in the folder is not overwritten, and damage is found', async () => {
  const options = sample.request('blocks', 'csv', { folder: join(sample.folder, 'other') })
  await exportPartition(sample.scratch, options)
  const before = await contentOf(options.folder)
  for (const change of [
    { format: 'ndjson' as const },
    { columns: ['seqno'] },
    { csvSafe: true },
    { globalId: -3 },
  ])
    await expect(exportPartition(sample.scratch, { ...options, ...change })).rejects.toThrow(
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
  await exportPartition(sample.scratch, options)
  expect(await contentOf(options.folder)).toEqual(before)
})

test('rows of tables that a newer version has migrated meanwhile are no export', async () => {
  const future = "'29991231000000_future'"
  const options = sample.request('blocks', 'ndjson', { folder: join(sample.folder, 'migrated') })
  const turn = async () => {
    await sample.scratch.pool.query(
      `insert into schema_migrations (name, timestamp) values (${future}, 'now') on conflict do nothing`,
    )
  }
  try {
    await expect(exportPartition(sample.scratch, { ...options, turn })).rejects.toThrow(SchemaTooNew)
    expect(await readdir(options.folder)).toEqual([])
  } finally {
    await sample.scratch.pool.query(`delete from schema_migrations where name = ${future}`)
  }
  expect((await exportPartition(sample.scratch, options)).written).toBe(true)
})

test('an export by a thread that is interrupted again and again makes the same bytes', async () => {
  const seed = testSeed()
  console.log(`seed ${seed}`)
  const random = randomFrom(seed)
  const more = { maxRowsPerFile: ROWS_OF_PART, partition: null, range: SOME }
  const whole = sample.request('messages', 'parquet', { folder: join(sample.folder, 'whole'), ...more })
  const { manifest } = await exportPartition(sample.scratch, whole)
  const options = sample.request('messages', 'parquet', {
    folder: join(sample.folder, 'interrupted'),
    open: thread.open,
    ...more,
  })
  for (let kill = 0; kill < KILLS; kill++) {
    let left = Math.floor(random() * manifest.rows)
    const onRows = (rows: number) => {
      left -= rows
      if (left <= 0) throw new Error('killed')
    }
    await expect(exportPartition(sample.scratch, { ...options, onRows })).rejects.toThrow('killed')
    expect(await readdir(options.folder)).toEqual([])
    // A process that is killed removes nothing.
    for (const name of ['part-00000.parquet', `.part-0000${kill % 9}.parquet.tmp`])
      await writeFile(join(options.folder, name), 'half')
    expect(await readManifest(options.folder)).toBeUndefined()
  }
  await exportPartition(sample.scratch, options)
  expect(await contentOf(options.folder)).toEqual(await contentOf(whole.folder))
})

test('a thread writes what the caller would write, and reports errors with their code', async () => {
  for (const format of ['parquet', 'ndjson', 'csv'] as const) {
    const of = (name: string) => ({ folder: join(sample.folder, `${name}-${format}`), range: SOME })
    const here = await exportPartition(sample.scratch, sample.request('transactions', format, of('here')))
    const there = sample.request('transactions', format, { ...of('thread'), open: thread.open })
    expect((await exportPartition(sample.scratch, there)).manifest).toEqual(here.manifest)
  }
  const full = { dataset: 'blocks', columns: ['seqno'], format: 'parquet', path: '/dev/full' } as const
  if (existsSync(full.path))
    await expect((await thread.open(full)).close()).rejects.toMatchObject({ code: 'ENOSPC' })
  await expect(thread.open({ ...full, path: sample.folder })).rejects.toMatchObject({ code: 'EISDIR' })
})
