import { createHash, type Hash } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RowBatch } from '@shardwalk/db'
import type { PartitionOptions } from './export-partition.ts'
import { describePart, type ManifestPart } from './manifest.ts'
import type { FileColumn, RowFile } from './row-file.ts'
import { openRowFile } from './row-files.ts'
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
>

/** The files of a partition, each with at most so many rows. At least one, perhaps without rows. */
export class PartFiles {
  readonly parts: ManifestPart[] = []
  private readonly columns: readonly FileColumn[]
  private readonly content: { readonly hash: Hash; readonly text: TextRows } | undefined
  private file: RowFile | undefined
  private rows = 0

  constructor(private readonly options: Options) {
    const types = { ...options.dataset.columns, ...options.dataset.bocs }
    this.columns = options.columns.map((name) => ({ name, type: types[name]![0] }))
    if (options.contentChecksum) this.content = { hash: createHash('sha256'), text: ndjsonText(this.columns) }
  }

  /** Hex; null: not asked for. After `close`. */
  get contentSha256(): string | null {
    return this.content?.hash.copy().digest('hex') ?? null
  }

  async write(rows: RowBatch): Promise<void> {
    if (this.content) for (const row of rows.texts()) this.content.hash.update(this.content.text.line(row))
    for (let at = 0; at < rows.length; ) {
      this.file ??= await this.open()
      const some = rows.slice(at, Math.min(rows.length, at + this.options.maxRowsPerFile - this.rows))
      await this.file.write(some)
      at += some.length
      this.rows += some.length
      if (this.rows === this.options.maxRowsPerFile) await this.closeFile()
    }
  }

  async close(): Promise<void> {
    if (this.parts.length === 0) this.file ??= await this.open()
    if (this.file) await this.closeFile()
  }

  /** Frees the space of what is not complete. */
  async abandon(): Promise<void> {
    await this.file?.abandon().catch(() => {})
    await rm(this.temporary, { force: true })
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
    return openRowFile(this.options.format, { ...this.options, path: this.temporary, columns: this.columns })
  }

  private async closeFile(): Promise<void> {
    const { folder } = this.options
    await this.file!.close()
    await rename(this.temporary, join(folder, this.name))
    this.parts.push(await describePart(folder, this.name, this.rows))
    this.file = undefined
    this.rows = 0
  }
}
