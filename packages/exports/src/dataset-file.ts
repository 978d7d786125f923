import { completionOf, DATASETS } from '@shardwalk/db/datasets'
import type { FileFormat, RowFile, RowFileOptions } from './row-file.ts'
import { openRowFile } from './row-files.ts'

/** A file for rows of a dataset, in words that may be sent to a thread. */
export interface DatasetFileRequest extends Omit<RowFileOptions, 'columns'> {
  readonly dataset: string
  readonly columns: readonly string[]
  readonly format: FileFormat
}

/** Creates the file, or empties it. It takes rows as `readDataset` gives them. */
export async function openDatasetFile(request: DatasetFileRequest): Promise<RowFile> {
  const dataset = DATASETS.find(({ name }) => name === request.dataset)!
  const types = { ...dataset.columns, ...dataset.bocs }
  const columns = request.columns.map((name) => ({ name, type: types[name]![0] }))
  const complete = completionOf(dataset, request.columns)
  const file = await openRowFile(request.format, { ...request, columns })
  return {
    write: (rows) => file.write(complete(rows)),
    close: () => file.close(),
    abandon: () => file.abandon(),
  }
}
