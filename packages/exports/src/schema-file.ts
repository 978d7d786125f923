import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, replaceFile } from '@shardwalk/concurrency'
import type { ExportIdentity } from './export-partition.ts'
import { FORMAT_VERSION } from './parquet/parquet-file.ts'

const FILE = '_schema.json'

/**
 * Describes the columns of a dataset in its folder, `_schema.json`, for those who get the files. One process
 * at a time writes to a folder, so what killed ones left of the file is removed.
 */
export async function writeSchema(folder: string, { dataset, columns }: ExportIdentity): Promise<void> {
  const all = { ...dataset.columns, ...dataset.bocs }
  const schema = {
    format_version: FORMAT_VERSION,
    dataset: dataset.name,
    description: dataset.comment,
    columns: columns.map((name) => ({ name, type: all[name]![0], description: all[name]![2] })),
  }
  const text = `${JSON.stringify(schema, null, 1)}\n`
  await makeFolder(folder)
  for (const name of await readdir(folder))
    if (name.startsWith(`${FILE}.`)) await rm(join(folder, name), { force: true })
  const path = join(folder, FILE)
  // Written for every partition: what is right already is left alone.
  const found = await readFile(path, 'utf8').catch(() => undefined)
  if (found !== text) await replaceFile(path, text)
}
