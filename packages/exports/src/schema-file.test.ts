import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATASETS } from '@shardwalk/db'
import { expect, onTestFinished, test } from 'vitest'
import type { ExportIdentity } from './export-partition.ts'
import { writeSchema } from './schema-file.ts'

const dataset = DATASETS.find(({ name }) => name === 'blocks')!
const of = (...columns: string[]): ExportIdentity => ({
  ...{ dataset, columns, format: 'parquet', compression: 'snappy', gzip: false, csvSafe: false },
  ...{ maxRowsPerFile: 1, filters: {}, globalId: null },
})

test('the schema is written when it changes, and what killed exports left of it is removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-schema-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, '_schema.json')
  const written = async () => ({
    columns: JSON.parse(await readFile(path, 'utf8')).columns.map((one: { name: string }) => one.name),
    inode: (await stat(path)).ino,
  })
  await writeFile(`${path}.7.tmp`, 'half')
  await writeSchema(folder, of('seqno'))
  const first = await written()
  expect(first.columns).toEqual(['seqno'])

  await writeFile(`${path}.8.tmp`, 'half')
  await writeSchema(folder, of('seqno'))
  expect(await written()).toEqual(first)
  expect(await readdir(folder)).toEqual(['_schema.json'])

  await writeSchema(folder, of('seqno', 'shard'))
  expect((await written()).columns).toEqual(['seqno', 'shard'])
})
