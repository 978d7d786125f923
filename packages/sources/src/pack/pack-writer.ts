import { type FileHandle, open } from 'node:fs/promises'
import { encodeEntryHeader, encodePackHeader, type PackEntry } from './format.ts'

/** Appends entries to a package. Data is guaranteed to be on disk only after `sync` or `close`. */
export class PackWriter {
  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private end: number,
  ) {}

  static async create(path: string): Promise<PackWriter> {
    const handle = await open(path, 'w')
    const header = encodePackHeader()
    await handle.write(header, 0, header.length, 0)
    return new PackWriter(path, handle, header.length)
  }

  /** Continues a package after its first `end` bytes; the rest is truncated. */
  static async resume(path: string, end: number): Promise<PackWriter> {
    const handle = await open(path, 'r+')
    await handle.truncate(end)
    return new PackWriter(path, handle, end)
  }

  get size(): number {
    return this.end
  }

  async append(name: string, data: Uint8Array): Promise<PackEntry> {
    const offset = this.end
    const header = encodeEntryHeader(name, data.length)
    const entry = Buffer.concat([header, data])
    await this.handle.write(entry, 0, entry.length, offset)
    this.end = offset + entry.length
    return { name, offset, dataOffset: offset + header.length, size: data.length }
  }

  sync(): Promise<void> {
    return this.handle.sync()
  }

  async close(): Promise<void> {
    await this.handle.sync()
    await this.handle.close()
  }
}
