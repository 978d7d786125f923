import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@shardwalk/concurrency'
import type { ExportIdentity } from './export-partition.ts'
import { FORMAT_VERSION } from './parquet/parquet-file.ts'

/** Describes the columns of a dataset in its folder, `_schema.json`, for those who get the files. */
export async function writeSchema(folder: string, { dataset, columns }: ExportIdentity): Promise<void> {
  const all = { ...dataset.columns, ...dataset.bocs }
  const schema = {
    format_version: FORMAT_VERSION,
    dataset: dataset.name,
    description: dataset.comment,
    columns: columns.map((name) => ({ name, type: all[name]![0], description: all[name]![2] })),
  }
  await mkdir(folder, { recursive: true })
  await replaceFile(join(folder, '_schema.json'), `${JSON.stringify(schema, null, 1)}\n`)
}
