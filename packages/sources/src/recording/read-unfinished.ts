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

/** What earlier runs left in a folder: whole steps only. */
export interface Unfinished {
  readonly steps: readonly StepJson[]
  /** Packages that hold them, in order. */
  readonly files: readonly string[]
  /** Masterchain block of the last whole step. */
  readonly last: ReadBlock | undefined
  /** Where the last whole step ends in the last file; what follows was half written. */
  readonly end: number
}

/** Name of the package that masterchain block `seqno` goes into. */
export const packName = (seqno: number, blocksPerPack: number): string =>
  `blocks.${String(seqno - (seqno % blocksPerPack)).padStart(8, '0')}.pack`

/**
 * Reads back the packages of a recording that was broken off (or is to be prolonged). In them a masterchain block stands
 * behind the shard blocks it commits, so it ends its step.
 */
export async function readUnfinished(folder: string): Promise<Unfinished> {
  const names = (await readdir(folder)).sort()
  if (names.includes('index.json.gz')) throw new RecordingConflict(`${folder} holds a packed recording`)
  const collector = new StepCollector()
  for (const name of names.filter((file) => /^blocks\.\d{8}\.pack$/.test(file)))
    if (!(await collector.readPack(folder, name))) break
  return collector.result
}

class StepCollector {
  private readonly steps: StepJson[] = []
  private readonly files: string[] = []
  private last: ReadBlock | undefined
  private end = 0

  get result(): Unfinished {
    return { steps: this.steps, files: this.files, last: this.last, end: this.end }
  }

  /** False when the file does not end with a whole step: nothing behind it counts. */
  async readPack(folder: string, file: string): Promise<boolean> {
    const pack = await PackFile.open(join(folder, file))
    let shards: BlockJson[] = []
    try {
      for await (const entry of pack.entries()) {
        const block = await readEntry(pack, entry)
        const json = formatBlock(block, file, entry)
        if (block.id.workchain !== MASTERCHAIN) shards.push(json)
        else {
          this.addStep(file, block, json, shards, entry)
          shards = []
        }
      }
    } finally {
      await pack.close()
    }
    return this.end === pack.size && shards.length === 0
  }

  private addStep(
    file: string,
    block: ReadBlock,
    json: BlockJson,
    shards: BlockJson[],
    entry: PackEntry,
  ): void {
    const { seqno } = block.id
    if (this.last && seqno !== this.last.id.seqno + 1)
      throw new RecordingConflict(`${file} goes on with block ${seqno} after ${this.last.id.seqno}`)
    const shard_tops = (block.skeleton.shardTops ?? []).map(formatBlockIdJson)
    this.steps.push({ seqno, block: json, shard_tops, shards })
    if (this.files.at(-1) !== file) this.files.push(file)
    this.last = block
    this.end = entry.dataOffset + entry.size
  }
}

async function readEntry(pack: PackFile, entry: PackEntry): Promise<ReadBlock> {
  const parsed = parseEntryName(entry.name)
  if (parsed?.kind !== 'block')
    throw new RecordingConflict(`${pack.path} holds ${entry.name}, which no recording has`)
  return readBlock({ id: parsed.id, bytes: await pack.data(entry) })
}
