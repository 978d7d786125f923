import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlockId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import { type BlockPlace, BlockTable } from './block-table.ts'
import { parseEntryName } from './names.ts'
import { PackFile } from './pack-file.ts'

/** Number of files kept open: an archive has thousands of packages, the walk uses a few at a time. */
const MAX_OPEN_PACKS = 64

/**
 * All packages below a folder in any layout, plain or gzipped, indexed by entry name. Keeps only positions in
 * memory.
 */
export class PackFolder {
  private readonly table = new BlockTable()
  private readonly proofs = new BlockTable()
  /** Masterchain blocks by seqno; archives do not contain competing blocks with the same seqno. */
  private readonly masterchain = new Map<number, BlockPlace>()
  private readonly open = new Map<number, Promise<PackFile>>()

  private constructor(private readonly paths: readonly string[]) {}

  /** Reads every entry header once. Of a file with a damaged tail, the entries before the damage are used. */
  static async index(folder: string): Promise<PackFolder> {
    const packs = new PackFolder(await listPacks(folder))
    for (const [i, path] of packs.paths.entries()) await packs.indexPack(i, path)
    return packs
  }

  private async indexPack(number: number, path: string): Promise<void> {
    const pack = await PackFile.open(path)
    try {
      for await (const entry of pack.entries()) {
        const parsed = parseEntryName(entry.name)
        const place = { pack: number, offset: entry.offset }
        if (parsed?.kind === 'block') this.add(parsed.id, place)
        else if (parsed?.kind === 'proof') this.proofs.add(parsed.id, place)
      }
    } finally {
      await pack.close()
    }
  }

  private add(id: BlockId, place: BlockPlace): void {
    this.table.add(id, place)
    if (id.workchain === MASTERCHAIN) this.masterchain.set(id.seqno, place)
  }

  get blockCount(): number {
    return this.table.size
  }

  /** Seqnos of the masterchain blocks in ascending order. */
  masterchainSeqnos(): number[] {
    return [...this.masterchain.keys()].sort((a, b) => a - b)
  }

  async masterchainBlockId(seqno: number): Promise<BlockId | undefined> {
    const place = this.masterchain.get(seqno)
    const entry = place && (await (await this.pack(place.pack)).entryAt(place.offset))
    return entry && parseEntryName(entry.name)?.id
  }

  has(id: BlockId): boolean {
    return !this.table.find(id).next().done
  }

  /** The first copy whose SHA-256 is the file hash; damaged copies are skipped. */
  async getBlock(id: BlockId): Promise<Buffer | undefined> {
    for (const place of this.table.find(id)) {
      const pack = await this.pack(place.pack)
      const entry = await pack.entryAt(place.offset)
      const parsed = entry && parseEntryName(entry.name)
      if (!parsed || !sameBlock(parsed.id, id)) continue
      const bytes = await pack.data(entry)
      if (hash('sha256', bytes, 'buffer').equals(id.fileHash)) return bytes
    }
    return undefined
  }

  /** The node's proof file of a masterchain block, unchanged. */
  async getProof(id: BlockId): Promise<Buffer | undefined> {
    for (const place of this.proofs.find(id)) {
      const pack = await this.pack(place.pack)
      const entry = await pack.entryAt(place.offset)
      const parsed = entry && parseEntryName(entry.name)
      if (parsed && sameBlock(parsed.id, id)) return pack.data(entry)
    }
    return undefined
  }

  private pack(number: number): Promise<PackFile> {
    const opened = this.open.get(number) ?? this.openPack(number)
    // Reinsert, so that iteration order is least recently used first.
    this.open.delete(number)
    this.open.set(number, opened)
    if (this.open.size > MAX_OPEN_PACKS) this.closeOldest()
    return opened
  }

  /** What cannot be opened now is tried again when it is wanted again. */
  private openPack(number: number): Promise<PackFile> {
    const opened = PackFile.open(this.paths[number]!)
    opened.catch(() => {
      if (this.open.get(number) === opened) this.open.delete(number)
    })
    return opened
  }

  private closeOldest(): void {
    const [number, pack] = this.open.entries().next().value!
    this.open.delete(number)
    // A read in progress on this file would fail; MAX_OPEN_PACKS is far above the number of concurrent reads.
    closeOnceOpen(pack)
  }

  async close(): Promise<void> {
    const packs = [...this.open.values()]
    this.open.clear()
    await Promise.all(packs.map(closeOnceOpen))
  }
}

/** Never rejects: the file is no longer read. */
const closeOnceOpen = (pack: Promise<PackFile>): Promise<void> =>
  pack.then((file) => file.close()).catch(() => {})

async function listPacks(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names
    .filter((name) => /\.pack(\.gz)?$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}
