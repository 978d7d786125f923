import type { ExportType, RowBatch } from '@shardwalk/db/datasets'

/** Formats of exported rows. */
export type FileFormat = 'parquet' | 'ndjson' | 'csv'

/** A column of an exported file. */
export interface FileColumn {
  readonly name: string
  readonly type: ExportType
}

/** A file that rows are written to. The same rows make the same bytes, in however many calls. */
export interface RowFile {
  write(rows: RowBatch): Promise<void>
  /** Completes the file. */
  close(): Promise<void>
  /** Stops writing and leaves the file incomplete. */
  abandon(): Promise<void>
}

export interface RowFileOptions {
  readonly path: string
  readonly columns: readonly FileColumn[]
  /** CSV: texts that a spreadsheet would take for formulas begin with an apostrophe. */
  readonly csvSafe?: boolean
  /** Text: the file is compressed by gzip. */
  readonly gzip?: boolean
  /** Parquet: default Snappy. */
  readonly compression?: Compression
}

/** Of the pages of a Parquet file. */
export type Compression = 'snappy' | 'none'
