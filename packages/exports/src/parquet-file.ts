import { open } from 'node:fs/promises'
import type { ExportType, TextRow } from '@shardwalk/db'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { FileColumn, RowFile, RowFileOptions } from './row-file.ts'
import { type ExportValue, readerOf } from './values.ts'

/**
 * A row group ends with this many rows, or before with the row that fills it with this much text. Rules about
 * content alone, so that files do not depend on how rows arrived. The second bounds memory.
 */
const GROUP_ROWS = 50_000
const GROUP_CHARACTERS = 6_000_000

/** Changes with columns, encodings, the rules above and the version of the library. */
export const FORMAT_VERSION = 3

const decimal = (precision: number, scale = 0) => ({
  type: 'FIXED_LEN_BYTE_ARRAY' as const,
  type_length: 16,
  converted_type: 'DECIMAL' as const,
  ...{ precision, scale },
})
const SCHEMA = {
  i32: { type: 'INT32' },
  i64: { type: 'INT64' },
  bool: { type: 'BOOLEAN' },
  str: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bin: { type: 'BYTE_ARRAY' },
  ts: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  d20: decimal(20),
  d38: decimal(38),
  ton: decimal(20, 9),
} as const satisfies Record<ExportType, object>

export class ParquetFile implements RowFile {
  private readonly writer: ParquetWriter
  private readonly read: ((text: string | null) => ExportValue)[]
  private columns: ExportValue[][]
  private characters = 0

  private constructor(
    private readonly path: string,
    private readonly fields: readonly FileColumn[],
    compression: RowFileOptions['compression'],
  ) {
    this.read = fields.map(({ type }) => readerOf(type))
    this.columns = fields.map(() => [])
    this.writer = new ParquetWriter({
      writer: fileWriter(path),
      codec: compression === 'none' ? 'UNCOMPRESSED' : 'SNAPPY',
      schema: [
        { name: 'root', num_children: fields.length },
        ...fields.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...SCHEMA[type] })),
      ],
      createdBy: `shardwalk-export/${FORMAT_VERSION}`,
    })
  }

  static async open({ path, columns, compression }: RowFileOptions): Promise<ParquetFile> {
    return new ParquetFile(path, columns, compression)
  }

  async write(rows: readonly TextRow[]): Promise<void> {
    const { columns, read } = this
    for (const row of rows) {
      for (let at = 0; at < read.length; at++) {
        const text = row[at]!
        columns[at]!.push(read[at]!(text))
        if (text !== null) this.characters += text.length
      }
      if (columns[0]!.length === GROUP_ROWS || this.characters >= GROUP_CHARACTERS) await this.writeGroup()
    }
  }

  async close(): Promise<void> {
    if (this.columns[0]!.length > 0) await this.writeGroup()
    await this.writer.finish()
    const file = await open(this.path, 'r+')
    await file.sync()
    await file.close()
  }

  private async writeGroup(): Promise<void> {
    const { columns } = this
    const columnData = this.fields.map(({ name }, at) => ({ name, data: columns[at]! }))
    await this.writer.write({ columnData, rowGroupSize: columns[0]!.length })
    for (const column of columns) column.length = 0
    this.characters = 0
  }
}
