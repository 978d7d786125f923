import { ParquetFile } from './parquet/parquet-file.ts'
import type { FileFormat, RowFile, RowFileOptions } from './row-file.ts'
import { TextFile } from './text-file.ts'
import { csvText, ndjsonText } from './text-rows.ts'

/** Creates the file, or empties it. */
export const openRowFile = (format: FileFormat, options: RowFileOptions): Promise<RowFile> =>
  format === 'parquet'
    ? ParquetFile.open(options)
    : TextFile.open(options, format === 'csv' ? csvText(options) : ndjsonText(options.columns))
