import { join } from 'node:path'
import { makeFolder } from '@shardwalk/concurrency'
import type { BlockSource } from '@shardwalk/pipeline'
import { formatEntryName } from '../pack/names.ts'
import { PackWriter } from '../pack/pack-writer.ts'
import { RecordingConflict } from './errors.ts'
import { type FetchedStep, fetchBlock, fetchStep, type ReadBlock } from './fetch-step.ts'
import { formatBlockIdJson, type StepJson } from './format.ts'
import { formatBlock, writeIndex } from './index-writer.ts'
import { packName, readUnfinished, type Unfinished } from './read-unfinished.ts'
import { type ProofChoice, type ProofSource, recordProofs } from './record-proofs.ts'
import { saveZerostates } from './zerostates.ts'

/** Masterchain blocks per package, as in the node's archive slices. */
const BLOCKS_PER_PACK = 100
/** Masterchain blocks fetched ahead of the one being written. */
const AHEAD = 16

/** What is recorded, and where to. */
export interface RecordOptions {
  readonly source: BlockSource & Partial<ProofSource>
  /** Created if missing; an interrupted recording in it is continued. */
  readonly folder: string
  /** First and last masterchain seqno, inclusive. */
  readonly from: number
  readonly to: number
  /** Signatures to keep, if the source has them. Default `key-blocks`. */
  readonly proofs?: ProofChoice
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: RecordProgress) => void
}

/** Reported after each masterchain block. */
export interface RecordProgress {
  /** Last masterchain block written. */
  readonly seqno: number
  readonly to: number
  readonly shardBlocks: number
}

/** What a run of `record` has left in the folder. */
export interface RecordResult {
  readonly from: number
  readonly to: number
  /** Masterchain blocks written by an earlier run. */
  readonly resumed: number
  readonly shardBlocks: number
  readonly proofs: number
}

/**
 * Writes a masterchain range with its shard blocks (and zerostates, if the source has them) as a recorded
 * chain. It may be interrupted at any time and called again; the folder becomes a recording when the index is
 * written at the end.
 * Throws `RecordingConflict` if the folder contains something this range does not continue, and errors of the
 * source.
 */
export async function record(options: RecordOptions): Promise<RecordResult> {
  const { folder, from, to, source } = options
  if (from < 1 || to < from) throw new RecordingConflict(`cannot record masterchain blocks ${from} to ${to}`)
  await makeFolder(folder)
  const done = await readUnfinished(folder)
  checkContinues(done, options)
  const writer = new RecordingWriter(folder, done)
  try {
    for await (const step of fetchSteps(done.last ? done.last.id.seqno + 1 : from, options)) {
      await writer.add(step)
      options.onProgress?.({ seqno: step.block.id.seqno, to, shardBlocks: step.shards.length })
    }
  } finally {
    await writer.close()
  }
  const { steps, files, globalId } = writer
  const zerostates = await saveZerostates(source, folder, steps)
  const proofs = await recordProofs(source, folder, steps, options.proofs ?? 'key-blocks')
  await writeIndex(folder, { globalId, zerostates, files, steps })
  const shardBlocks = steps.reduce((sum, step) => sum + step.shards.length, 0)
  return { from, to: steps.at(-1)!.seqno, resumed: done.steps.length, shardBlocks, proofs }
}

function checkContinues(done: Unfinished, { folder, from, to }: RecordOptions): void {
  const [first, last] = [done.steps[0]?.seqno, done.last?.id.seqno]
  if (first === undefined || last === undefined) return
  if (first !== from)
    throw new RecordingConflict(
      `${folder} holds blocks ${first} to ${last}; a recording from ${from} needs another folder`,
    )
  if (last > to) throw new RecordingConflict(`${folder} already reaches block ${last}, beyond ${to}`)
}

/** Yields steps in order while fetching blocks of the next ones. */
async function* fetchSteps(
  start: number,
  { source, to, signal }: RecordOptions,
): AsyncGenerator<FetchedStep> {
  const wait = signal ? { signal } : {}
  const blocks = new Map<number, Promise<ReadBlock>>()
  const steps = new Map<number, Promise<FetchedStep>>()
  const load = async (seqno: number) => fetchBlock(source, await source.masterchainBlockId(seqno, wait), wait)
  const block = (seqno: number) => memo(blocks, seqno, () => load(seqno))
  const step = (seqno: number) =>
    memo(steps, seqno, async () => {
      const [own, previous] = await Promise.all([block(seqno), seqno > 1 ? block(seqno - 1) : undefined])
      return fetchStep(source, own, previous, wait)
    })
  for (let seqno = start; seqno <= to; seqno++) {
    signal?.throwIfAborted()
    for (let next = seqno; next <= Math.min(to, seqno + AHEAD); next++) step(next)
    yield await step(seqno)
    steps.delete(seqno)
    blocks.delete(seqno - 1)
  }
}

function memo<T>(map: Map<number, Promise<T>>, key: number, make: () => Promise<T>): Promise<T> {
  let made = map.get(key)
  if (!made) {
    made = make()
    // Awaited later; until then a rejection must not count as unhandled.
    made.catch(() => {})
    map.set(key, made)
  }
  return made
}

/** Writes steps into packages, one per hundred masterchain seqnos, and records the positions. */
class RecordingWriter {
  readonly steps: StepJson[]
  readonly files: string[]
  private pack: PackWriter | undefined
  private networkId: number | undefined

  constructor(
    private readonly folder: string,
    private readonly done: Unfinished,
  ) {
    this.steps = [...done.steps]
    this.files = [...done.files]
    this.networkId = done.last?.skeleton.header.globalId
  }

  /** Global id of the network, e.g. -239. */
  get globalId(): number {
    if (this.networkId === undefined) throw new RecordingConflict(`${this.folder}: nothing was recorded`)
    return this.networkId
  }

  async add({ block, shards }: FetchedStep): Promise<void> {
    const { seqno } = block.id
    const file = packName(seqno, BLOCKS_PER_PACK)
    if (this.files.at(-1) !== file || !this.pack) await this.openPack(file)
    const shardEntries = []
    for (const shard of shards) shardEntries.push(await this.append(shard, file))
    const entry = await this.append(block, file)
    const shard_tops = (block.skeleton.shardTops ?? []).map(formatBlockIdJson)
    this.steps.push({ seqno, block: entry, shard_tops, shards: shardEntries })
    this.networkId = block.skeleton.header.globalId
  }

  private async append(block: ReadBlock, file: string) {
    return formatBlock(block, file, await this.pack!.append(formatEntryName('block', block.id), block.bytes))
  }

  private async openPack(file: string): Promise<void> {
    await this.pack?.close()
    const path = join(this.folder, file)
    const continued = this.files.at(-1) === file
    this.pack = continued ? await PackWriter.resume(path, this.done.end) : await PackWriter.create(path)
    if (!continued) this.files.push(file)
  }

  async close(): Promise<void> {
    await this.pack?.close()
  }
}
