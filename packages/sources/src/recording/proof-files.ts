import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlockId, blockKey } from '@shardwalk/model'
import type { PackEntry } from '../pack/format.ts'
import { parseEntryName } from '../pack/names.ts'
import { PackFile } from '../pack/pack-file.ts'

/** `proof_` entries of a recording: header proofs with validator signatures. Indexed on first use. */
export class ProofFiles {
  private index: Promise<Map<string, { pack: PackFile; entry: PackEntry }>> | undefined

  constructor(private readonly folder: string) {}

  async find(id: BlockId): Promise<Buffer | undefined> {
    this.index ??= this.load()
    const found = (await this.index).get(blockKey(id))
    return found?.pack.data(found.entry)
  }

  private async load() {
    const index = new Map<string, { pack: PackFile; entry: PackEntry }>()
    for (const name of (await readdir(this.folder)).filter((file) => /^proofs\..*pack(\.gz)?$/.test(file))) {
      const pack = await PackFile.open(join(this.folder, name))
      for await (const entry of pack.entries()) {
        const parsed = parseEntryName(entry.name)
        if (parsed?.kind === 'proof') index.set(blockKey(parsed.id), { pack, entry })
      }
    }
    return index
  }

  async close(): Promise<void> {
    const packs = new Set([...((await this.index) ?? new Map()).values()].map(({ pack }) => pack as PackFile))
    for (const pack of packs) await pack.close()
  }
}
