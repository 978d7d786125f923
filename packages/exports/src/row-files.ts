import { type FileHandle, open } from 'node:fs/promises'
import type { ExportType, TextRow } from '@shardwalk/db'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { csvLine, withoutFormula } from './csv.ts'
import { type ExportValue, plain, readerOf } from './values.ts'

export type FileFormat = 'parquet' | 'ndjson' | 'csv'

export interface FileColumn {
  readonly name: string
  readonly type: ExportType
}

/** A file that rows are written to. The same rows make the same bytes, in however many calls. */
export interface RowFile {
  write(rows: readonly TextRow[]): Promise<void>
  /** Completes the file. */
  close(): Promise<void>
}

export interface RowFileOptions {
  readonly path: string
  readonly columns: readonly FileColumn[]
  /** CSV: texts that a spreadsheet would take for formulas begin with an apostrophe. */
  readonly csvSafe?: boolean
}

export async function openRowFile(format: FileFormat, options: RowFileOptions): Promise<RowFile> {
  if (format === 'parquet') return new ParquetFile(options)
  const file = await open(options.path, 'w')
  return new TextFile(file, format === 'csv' ? csvText(options) : ndjsonText(options))
}

interface TextRows {
  readonly header: string
  line(row: TextRow): string
}

/** RFC 4180 with a header; null is nothing, an empty text `""`. */
function csvText({ columns, csvSafe = false }: RowFileOptions): TextRows {
  const cell = ({ type }: FileColumn, text: string | null): string | null => {
    const value = plain(type, text)
    if (value === null) return null
    return csvSafe && type === 'str' ? withoutFormula(String(value)) : String(value)
  }
  return {
    header: csvLine(columns.map(({ name }) => name)),
    line: (row) => csvLine(columns.map((column, at) => cell(column, row[at]!))),
  }
}

const ndjsonText = ({ columns }: RowFileOptions): TextRows => ({
  header: '',
  line: (row) => {
    const values = columns.map(({ name, type }, at) => [name, plain(type, row[at]!)])
    return `${JSON.stringify(Object.fromEntries(values))}\n`
  },
})

class TextFile implements RowFile {
  private hasHeader = false

  constructor(
    private readonly file: FileHandle,
    private readonly text: TextRows,
  ) {}

  async write(rows: readonly TextRow[]): Promise<void> {
    await this.writeHeader()
    await this.file.appendFile(rows.map((row) => this.text.line(row)).join(''))
  }

  async close(): Promise<void> {
    await this.writeHeader()
    await this.file.sync()
    await this.file.close()
  }

  private async writeHeader(): Promise<void> {
    if (!this.hasHeader) await this.file.appendFile(this.text.header)
    this.hasHeader = true
  }
}

/** Rows of a group: a rule about content alone, so that files do not depend on how rows arrived. */
const GROUP_ROWS = 50_000

/** Changes with columns, encodings, the rule above and the version of the library. */
export const FORMAT_VERSION = 1

const SCHEMA: Readonly<Record<ExportType, object>> = {
  i32: { type: 'INT32' },
  i64: { type: 'INT64' },
  bool: { type: 'BOOLEAN' },
  str: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bin: { type: 'BYTE_ARRAY' },
  ts: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  d20: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 20, scale: 0 },
  d38: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: 0 },
}

class ParquetFile implements RowFile {
  private readonly writer: ParquetWriter
  private readonly read: ((text: string | null) => ExportValue)[]
  private columns: ExportValue[][]

  constructor(private readonly options: RowFileOptions) {
    const { path, columns } = options
    this.read = columns.map(({ type }) => readerOf(type))
    this.columns = columns.map(() => [])
    this.writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: [
        { name: 'root', num_children: columns.length },
        ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...SCHEMA[type] })),
      ],
      createdBy: `shardwalk-export/${FORMAT_VERSION}`,
    })
  }

  async write(rows: readonly TextRow[]): Promise<void> {
    for (const row of rows) {
      for (const [at, read] of this.read.entries()) this.columns[at]!.push(read(row[at]!))
      if (this.columns[0]!.length === GROUP_ROWS) await this.writeGroup()
    }
  }

  async close(): Promise<void> {
    if (this.columns[0]!.length > 0) await this.writeGroup()
    await this.writer.finish()
    const file = await open(this.options.path, 'r')
    await file.sync()
    await file.close()
  }

  private async writeGroup(): Promise<void> {
    const columnData = this.options.columns.map(({ name }, at) => ({ name, data: this.columns[at]! }))
    await this.writer.write({ columnData, rowGroupSize: GROUP_ROWS })
    this.columns = this.options.columns.map(() => [])
  }
}
