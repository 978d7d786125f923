import { createHash } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { completionOf, type RowBatch } from '@shardwalk/db/datasets'
import { openDatasetFile } from './dataset-file.ts'
import type { PartitionOptions } from './export-partition.ts'
import { describePart, type ManifestPart } from './manifest.ts'
import type { RowFile } from './row-file.ts'
import { ndjsonText, type TextRows } from './text-rows.ts'

type Options = Pick<
  PartitionOptions,
  | 'folder'
  | 'dataset'
  | 'columns'
  | 'format'
  | 'compression'
  | 'gzip'
  | 'csvSafe'
  | 'maxRowsPerFile'
  | 'contentChecksum'
  | 'open'
> & {
  /** Those that are there. */
  readonly parts: readonly ManifestPart[]
  /** Awaited when another one is full; `last` ends with its last row. */
  readonly onPart: (parts: readonly ManifestPart[], last: RowBatch) => Promise<void>
}

/** The files of a partition, each with at most so many rows. At least one, perhaps without rows. */
export class PartFiles {
  readonly parts: ManifestPart[]
  private readonly content: ContentChecksum | undefined
  /** The first one is opened before there are rows: a thread that writes it starts meanwhile. */
  private file: Promise<RowFile> | undefined
  private rows = 0

  constructor(private readonly options: Options) {
    if (options.contentChecksum) this.content = new ContentChecksum(options)
    this.parts = [...options.parts]
    if (this.parts.length === 0) this.file = this.open()
    // Reported by `write` or `close`.
    this.file?.catch(() => {})
  }

  /** Hex; null: not asked for. After `close`. */
  get contentSha256(): string | null {
    return this.content?.hex ?? null
  }

  async write(rows: RowBatch): Promise<void> {
    this.content?.add(rows)
    for (let at = 0; at < rows.length; ) {
      this.file ??= this.open()
      const some = rows.slice(at, Math.min(rows.length, at + this.options.maxRowsPerFile - this.rows))
      await (await this.file).write(some)
      at += some.length
      this.rows += some.length
      if (this.rows < this.options.maxRowsPerFile) continue
      await this.closeFile()
      await this.options.onPart(this.parts, some)
    }
  }

  async close(): Promise<void> {
    if (this.file) await this.closeFile()
  }

  /** Closes what is not complete. */
  async abandon(): Promise<void> {
    await this.file?.then((file) => file.abandon()).catch(() => {})
  }

  private get name(): string {
    const { format, gzip } = this.options
    const compressed = format !== 'parquet' && gzip ? '.gz' : ''
    return `part-${String(this.parts.length).padStart(5, '0')}.${format}${compressed}`
  }

  private get temporary(): string {
    return join(this.options.folder, `.${this.name}.tmp`)
  }

  private open(): Promise<RowFile> {
    const { dataset, columns, format, compression, gzip, csvSafe, open = openDatasetFile } = this.options
    const request = { dataset: dataset.name, columns, format, compression, gzip, csvSafe }
    return open({ ...request, path: this.temporary })
  }

  private async closeFile(): Promise<void> {
    const { folder } = this.options
    await (await this.file!).close()
    await rename(this.temporary, join(folder, this.name))
    this.parts.push(await describePart(folder, this.name, this.rows))
    this.file = undefined
    this.rows = 0
  }
}

/** Of the rows as NDJSON, whatever the format. */
class ContentChecksum {
  private readonly hash = createHash('sha256')
  private readonly complete: (rows: RowBatch) => RowBatch
  private readonly text: TextRows

  constructor({ dataset, columns }: Options) {
    const types = { ...dataset.columns, ...dataset.bocs }
    this.complete = completionOf(dataset, columns)
    this.text = ndjsonText(columns.map((name) => ({ name, type: types[name]![0] })))
  }

  add(rows: RowBatch): void {
    for (const row of this.complete(rows).texts()) this.hash.update(this.text.line(row))
  }

  get hex(): string {
    return this.hash.copy().digest('hex')
  }
}
