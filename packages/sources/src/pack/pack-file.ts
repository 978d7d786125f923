import { type FileHandle, open, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { DecodeError } from '@shardwalk/model'
import { decodeEntryHeader, ENTRY_HEADER_SIZE, PACK_MAGIC, type PackEntry } from './format.ts'

const inflate = promisify(gunzip)
/** One read covers header and name of nearly every entry: names have about 170 characters. */
const HEADER_READ = 512

/** A `.pack` file open for random reads: plain, or gzipped and then held in memory. */
export class PackFile {
  private constructor(
    readonly path: string,
    readonly size: number,
    private readonly bytes: Buffer | undefined,
    private readonly handle: FileHandle | undefined,
  ) {}

  /**
   * Opens a package; a `.gz` file is decompressed, to `maxSize` bytes at most. Throws `DecodeError` if it is
   * not one, and file system errors.
   */
  static async open(path: string, { maxSize }: { readonly maxSize?: number } = {}): Promise<PackFile> {
    const pack = path.endsWith('.gz')
      ? await PackFile.openInflated(path, maxSize)
      : await PackFile.openPlain(path)
    const magic = await pack.read(0, 4)
    // A file that is just being created may be shorter than its magic: it has no entries yet.
    if (magic.length < 4 || magic.readUInt32LE() === PACK_MAGIC) return pack
    await pack.close()
    throw new DecodeError('package', `${path} does not start with the package magic`)
  }

  private static async openInflated(path: string, maxSize: number | undefined): Promise<PackFile> {
    const packed = await readFile(path)
    try {
      const bytes = await inflate(packed, maxSize === undefined ? {} : { maxOutputLength: maxSize || 1 })
      return new PackFile(path, bytes.length, bytes, undefined)
    } catch (cause) {
      const problem = `${path} cannot be decompressed: ${(cause as Error).message}`
      throw new DecodeError('package', problem, { cause })
    }
  }

  private static async openPlain(path: string): Promise<PackFile> {
    const handle = await open(path, 'r')
    return new PackFile(path, (await handle.stat()).size, undefined, handle)
  }

  /** Returns fewer bytes at the end of the file. The result may share memory: copy it before changing it. */
  async read(offset: number, length: number): Promise<Buffer> {
    if (this.bytes) return this.bytes.subarray(offset, offset + length)
    const buffer = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.handle!.read(buffer, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  }

  async data(entry: PackEntry): Promise<Buffer> {
    const bytes = await this.read(entry.dataOffset, entry.size)
    if (bytes.length === entry.size) return bytes
    throw new DecodeError('package', `${this.path} ends inside entry ${entry.name}`)
  }

  /**
   * Entries in file order. Stops without an error at the first incomplete entry: the tail of a live or
   * crashed package may be half written, and the node truncates it at its next start.
   */
  async *entries(): AsyncGenerator<PackEntry> {
    let offset = 4
    for (;;) {
      const entry = await this.entryAt(offset)
      if (!entry) return
      yield entry
      offset = entry.dataOffset + entry.size
    }
  }

  /** The complete entry at `offset`; undefined if there is none. */
  async entryAt(offset: number): Promise<PackEntry | undefined> {
    const start = await this.read(offset, HEADER_READ)
    const header = decodeEntryHeader(start)
    if (!header) return undefined
    const nameEnd = ENTRY_HEADER_SIZE + header.nameLength
    const dataOffset = offset + nameEnd
    if (dataOffset + header.size > this.size) return undefined
    const head = nameEnd <= start.length ? start : await this.read(offset, nameEnd)
    return { name: head.toString('utf8', ENTRY_HEADER_SIZE, nameEnd), offset, dataOffset, size: header.size }
  }

  async close(): Promise<void> {
    await this.handle?.close()
  }
}
