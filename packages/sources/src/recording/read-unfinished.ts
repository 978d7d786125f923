import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MASTERCHAIN } from '@shardwalk/model'
import type { PackEntry } from '../pack/format.ts'
import { parseEntryName } from '../pack/names.ts'
import { PackFile } from '../pack/pack-file.ts'
import { RecordingConflict } from './errors.ts'
import { type ReadBlock, readBlock } from './fetch-step.ts'
import { type BlockJson, formatBlockIdJson, type StepJson } from './format.ts'
import { formatBlock } from './index-writer.ts'

/** Complete steps that earlier runs left in a folder. */
export interface Unfinished {
  readonly steps: readonly StepJson[]
  /** Packages that contain them, in order. */
  readonly files: readonly string[]
  /** Masterchain block of the last complete step. */
  readonly last: ReadBlock | undefined
  /** End of the last complete step in the last file; what follows is partial. */
  readonly end: number
}

/** Name of the package for masterchain block `seqno`. */
export const packName = (seqno: number, blocksPerPack: number): string =>
  `blocks.${String(seqno - (seqno % blocksPerPack)).padStart(8, '0')}.pack`

/**
 * Reads the packages of an interrupted recording, or of one to be extended. A masterchain block follows the
 * shard blocks it commits, so it ends its step.
 */
export async function readUnfinished(folder: string): Promise<Unfinished> {
  const names = (await readdir(folder)).sort()
  if (names.includes('index.json.gz')) throw new RecordingConflict(`${folder} holds a packed recording`)
  const collector = new StepCollector()
  for (const name of names.filter((file) => /^blocks\.\d{8}\.pack$/.test(file)))
    if (!(await collector.readPack(folder, name))) break
  return collector.result
}

interface ReadStep {
  readonly file: string
  readonly block: ReadBlock
  /** The block as the index has it. */
  readonly json: BlockJson
  readonly shards: BlockJson[]
  /** Of the block, in the file. */
  readonly end: number
}

class StepCollector {
  private readonly steps: StepJson[] = []
  private readonly files: string[] = []
  private last: ReadBlock | undefined
  private end = 0

  get result(): Unfinished {
    return { steps: this.steps, files: this.files, last: this.last, end: this.end }
  }

  /** Returns false if the file does not end with a complete step; later files are then ignored. */
  async readPack(folder: string, file: string): Promise<boolean> {
    const pack = await PackFile.open(join(folder, file))
    let shards: BlockJson[] = []
    try {
      for await (const entry of pack.entries()) {
        const block = await readEntry(pack, entry)
        const json = formatBlock(block, file, entry)
        if (block.id.workchain !== MASTERCHAIN) shards.push(json)
        else {
          this.addStep({ file, block, json, shards, end: entry.dataOffset + entry.size })
          shards = []
        }
      }
    } finally {
      await pack.close()
    }
    return this.end === pack.size && shards.length === 0
  }

  private addStep({ file, block, json, shards, end }: ReadStep): void {
    const { seqno } = block.id
    if (this.last && seqno !== this.last.id.seqno + 1)
      throw new RecordingConflict(`${file} goes on with block ${seqno} after ${this.last.id.seqno}`)
    const shard_tops = (block.skeleton.shardTops ?? []).map(formatBlockIdJson)
    this.steps.push({ seqno, block: json, shard_tops, shards })
    if (this.files.at(-1) !== file) this.files.push(file)
    this.last = block
    this.end = end
  }
}

async function readEntry(pack: PackFile, entry: PackEntry): Promise<ReadBlock> {
  const parsed = parseEntryName(entry.name)
  if (parsed?.kind !== 'block')
    throw new RecordingConflict(`${pack.path} holds ${entry.name}, which no recording has`)
  return readBlock({ id: parsed.id, bytes: await pack.data(entry) })
}
