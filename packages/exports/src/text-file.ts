import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { RowBatch } from '@shardwalk/db/datasets'
import type { RowFile, RowFileOptions } from './row-file.ts'
import type { TextRows } from './text-rows.ts'

/** What is written to it arrives in the file compressed. */
function compressed(file: Writable): Writable {
  const gzip = createGzip()
  gzip.pipe(file)
  gzip.on('error', (error) => file.destroy(error))
  file.on('error', (error) => gzip.destroy(error))
  return gzip
}

/** A file of lines, no faster than the disk. */
export class TextFile implements RowFile {
  private readonly whole: Promise<void>

  private constructor(
    private readonly path: string,
    private readonly text: TextRows,
    private readonly head: Writable,
    private readonly last: Writable,
  ) {
    this.whole = finished(last)
    // A failure is reported by the next write or by `close`.
    this.whole.catch(() => {})
  }

  static async open({ path, gzip = false }: RowFileOptions, text: TextRows): Promise<TextFile> {
    const file = createWriteStream(path)
    const head = gzip ? compressed(file) : file
    const opened = new TextFile(path, text, head, file)
    await opened.put(text.header)
    return opened
  }

  async write(rows: RowBatch): Promise<void> {
    await this.put(
      rows
        .texts()
        .map((row) => this.text.line(row))
        .join(''),
    )
  }

  async abandon(): Promise<void> {
    this.head.destroy()
    this.last.destroy()
  }

  async close(): Promise<void> {
    this.head.end()
    await this.whole
    const file = await open(this.path, 'r+')
    await file.sync()
    await file.close()
  }

  private async put(text: string): Promise<void> {
    if (text === '' || this.head.write(text)) return
    await Promise.race([new Promise((resolve) => this.head.once('drain', resolve)), this.whole])
  }
}
