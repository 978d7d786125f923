import { type FileHandle, open } from 'node:fs/promises'
import type { ExportType, RowBatch } from '@shardwalk/db/datasets'
import { ParquetWriter } from 'hyparquet-writer'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import type { FileColumn, RowFile, RowFileOptions } from '../row-file.ts'
import { writeColumnChunk } from './column-chunk.ts'
import type { ColumnValues } from './column-values.ts'
import { VALUES } from './values-by-type.ts'

/**
 * A row group ends with this many rows, or before with the row that fills it with this many bytes of
 * PostgreSQL's text. Rules about content alone, so that files do not depend on how rows arrived. The second
 * bounds memory.
 */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 16_000_000
/** So much waits for the disk at most, beside what a column chunk adds. */
const FLUSH_BYTES = 1_000_000

/** Changes with columns and their content, encodings, the rules above and the version of the library. */
export const FORMAT_VERSION = 5

const decimal = (precision: number, scale = 0) => ({
  type: 'FIXED_LEN_BYTE_ARRAY' as const,
  type_length: 16,
  converted_type: 'DECIMAL' as const,
  precision,
  scale,
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

const VALUES_OF: Readonly<Record<ExportType, new (name: string) => ColumnValues>> = {
  i32: VALUES.INT32,
  i64: VALUES.INT64,
  bool: VALUES.BOOLEAN,
  str: VALUES.UTF8,
  bin: VALUES.BYTES,
  ts: VALUES.INT64,
  d20: VALUES.DECIMAL,
  d38: VALUES.DECIMAL,
  ton: VALUES.DECIMAL,
}

/** The library writes beginning and end of the file: its column chunks begin with arrays of objects. */
export class ParquetFile implements RowFile {
  private readonly writer = new ByteWriter(2 * FLUSH_BYTES)
  private readonly parquet: ParquetWriter
  private readonly codec: 'SNAPPY' | 'UNCOMPRESSED'
  private readonly columns: readonly ColumnValues[]
  private rows = 0
  private bytes = 0

  private constructor(
    private readonly file: FileHandle,
    private readonly fields: readonly FileColumn[],
    compression: RowFileOptions['compression'],
  ) {
    this.columns = fields.map(({ name, type }) => new VALUES_OF[type](name))
    this.codec = compression === 'none' ? 'UNCOMPRESSED' : 'SNAPPY'
    this.parquet = new ParquetWriter({
      writer: this.writer,
      schema: [
        { name: 'root', num_children: fields.length },
        ...fields.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...SCHEMA[type] })),
      ],
      createdBy: `shardwalk-export/${FORMAT_VERSION}`,
    })
  }

  static async open({ path, columns, compression }: RowFileOptions): Promise<ParquetFile> {
    return new ParquetFile(await open(path, 'w'), columns, compression)
  }

  async write(batch: RowBatch): Promise<void> {
    let from = 0
    for (let row = 0; row < batch.length; row++) {
      this.rows++
      this.bytes += batch.size(row)
      if (this.rows < GROUP_ROWS && this.bytes < GROUP_BYTES) continue
      this.append(batch.slice(from, row + 1))
      await this.writeGroup()
      from = row + 1
    }
    if (from < batch.length) this.append(batch.slice(from, batch.length))
  }

  async close(): Promise<void> {
    if (this.rows > 0) await this.writeGroup()
    await this.parquet.finish()
    await this.flush()
    await this.file.sync()
    await this.file.close()
  }

  async abandon(): Promise<void> {
    await this.file.close()
  }

  private append(batch: RowBatch): void {
    for (const [at, column] of this.columns.entries()) column.append(batch, at)
  }

  private async writeGroup(): Promise<void> {
    const { writer, parquet, codec } = this
    const start = writer.offset
    const chunks = []
    let size = 0n
    for (const [at, { name, type }] of this.fields.entries()) {
      const values = this.columns[at]!
      const chunk = writeColumnChunk(writer, values, { name, type: SCHEMA[type].type, codec })
      values.clear()
      chunks.push(chunk)
      size += chunk.meta_data!.total_uncompressed_size
      if (writer.index >= FLUSH_BYTES) await this.flush()
    }
    parquet.num_rows += BigInt(this.rows)
    parquet.row_groups.push({
      columns: chunks,
      total_byte_size: size,
      num_rows: BigInt(this.rows),
      total_compressed_size: BigInt(writer.offset - start),
    })
    this.rows = 0
    this.bytes = 0
  }

  private async flush(): Promise<void> {
    await this.file.appendFile(this.writer.getBytes())
    this.writer.index = 0
  }
}
