import { hash } from 'node:crypto'
import { join } from 'node:path'
import { type BlockId, blockKey, DecodeError, formatBlockId, sameBlock } from '@shardwalk/model'
import { PackFile } from '../pack/pack-file.ts'
import {
  type BlockIdJson,
  type IndexJson,
  type PackFacts,
  parseBlockIdJson,
  parsePacks,
  parseStep,
  type RecordedBlock,
  type RecordedStep,
} from './format.ts'
import { findMaybeGzipped, readMaybeGzipped } from './maybe-gzipped.ts'
import { checkPack, checkPackSize } from './pack-check.ts'
import { ProofFiles } from './proof-files.ts'

/** The network that a chain was recorded from. */
export interface RecordedNetwork {
  readonly globalId: number
  readonly zerostate: BlockId
  /** Of all workchains that are known, the masterchain's first. */
  readonly zerostates: readonly BlockId[]
  /** Block that a client of this chain trusts initially. */
  readonly initBlock: BlockId
}

/**
 * A recorded chain: a folder with `index.json`, packages of blocks and zerostate files (each may be gzipped).
 * The index is held in memory; packages are opened on first use.
 */
export class Recording {
  private readonly steps: readonly RecordedStep[]
  private readonly byRootHash = new Map<string, RecordedBlock>()
  private readonly proofs: ProofFiles
  private readonly packs = new Map<string, Promise<PackFile>>()
  private readonly packFacts: ReadonlyMap<string, PackFacts>
  readonly network: RecordedNetwork

  private constructor(
    readonly folder: string,
    index: IndexJson,
  ) {
    this.network = parseNetwork(index)
    this.proofs = new ProofFiles(folder)
    this.packFacts = parsePacks(index.packs)
    this.steps = index.masterchain.map(parseStep)
    for (const [i, step] of this.steps.entries()) {
      if (step.seqno !== this.first + i)
        throw new DecodeError('index.json: masterchain', `has a gap before seqno ${step.seqno}`)
      for (const block of [...step.shards, step.block]) {
        this.checkPlace(block)
        this.byRootHash.set(blockKey(block.id), block)
      }
    }
  }

  /**
   * Throws `DecodeError` if the folder has no readable index, `RecordingDamaged` if a package is shorter than
   * the index says. Hashes of packages are checked when they are first read.
   */
  static async open(folder: string): Promise<Recording> {
    const text = await readMaybeGzipped(join(folder, 'index.json'))
    if (!text) throw new DecodeError('index.json', `${folder} holds no recorded chain`)
    const recording = new Recording(folder, JSON.parse(text.toString('utf8')) as IndexJson)
    for (const [file, { size }] of recording.packFacts) await checkPackSize(join(folder, file), size)
    return recording
  }

  private checkPlace({ id, file, dataOffset, size }: RecordedBlock): void {
    const end = dataOffset + size
    const isInside = dataOffset >= 0 && size >= 0 && end <= (this.packFacts.get(file)?.size ?? -1)
    if (!isInside)
      throw new DecodeError(`index.json: ${formatBlockId(id)}`, 'lies in no package of the index')
  }

  /** Seqno of the first recorded masterchain block. */
  get first(): number {
    return this.steps[0]?.seqno ?? 1
  }

  /** Seqno of the last recorded masterchain block; `first - 1` if nothing is recorded. */
  get last(): number {
    return this.first + this.steps.length - 1
  }

  step(seqno: number): RecordedStep | undefined {
    return this.steps[seqno - this.first]
  }

  /** Blocks in masterchain order; the shard blocks of a step precede its masterchain block. */
  *blocks(): Generator<{ readonly block: RecordedBlock; readonly mcBlockSeqno: number }> {
    for (const step of this.steps) {
      for (const block of step.shards) yield { block, mcBlockSeqno: step.seqno }
      yield { block: step.block, mcBlockSeqno: step.seqno }
    }
  }

  /** The recorded block with this id; undefined unless the whole id matches. */
  find(id: BlockId): RecordedBlock | undefined {
    const block = this.byRootHash.get(blockKey(id))
    return block && sameBlock(block.id, id) ? block : undefined
  }

  /**
   * The block's file, checked against its file hash. Throws `RecordingDamaged` or `DecodeError` if the
   * recording is damaged.
   */
  async read(block: RecordedBlock): Promise<Buffer> {
    const bytes = await (await this.pack(block.file)).read(block.dataOffset, block.size)
    if (hash('sha256', bytes, 'buffer').equals(block.id.fileHash)) return bytes
    throw new DecodeError(
      'recording',
      `${block.file} does not hold ${formatBlockId(block.id)} where index.json says so`,
    )
  }

  private pack(file: string): Promise<PackFile> {
    let pack = this.packs.get(file)
    if (!pack) this.packs.set(file, (pack = this.openPack(file)))
    return pack
  }

  private async openPack(file: string): Promise<PackFile> {
    const path = await findMaybeGzipped(join(this.folder, file))
    if (!path) throw new DecodeError('recording', `${file} is missing in ${this.folder}`)
    // Always present, because the index was checked to have every file that blocks refer to.
    const facts = this.packFacts.get(file)!
    const pack = await PackFile.open(path, { maxSize: facts.size })
    try {
      await checkPack(pack, facts, this.blocksIn(file))
      return pack
    } catch (error) {
      await pack.close()
      throw error
    }
  }

  private *blocksIn(file: string): Generator<RecordedBlock> {
    for (const { block } of this.blocks()) if (block.file === file) yield block
  }

  /** Zerostate file, checked against its file hash; undefined if it was not recorded. */
  async zerostate(id: BlockId): Promise<Buffer | undefined> {
    if (!this.network.zerostates.some((known) => sameBlock(known, id))) return undefined
    const name = zerostateFileName(id.workchain)
    const bytes = await readMaybeGzipped(join(this.folder, name))
    if (!bytes || hash('sha256', bytes, 'buffer').equals(id.fileHash)) return bytes
    throw new DecodeError('recording', `${name} is not the zerostate of this network`)
  }

  /** Proof file of a masterchain block (header proof and signatures); undefined if it was not recorded. */
  proof(id: BlockId): Promise<Buffer | undefined> {
    return this.proofs.find(id)
  }

  async close(): Promise<void> {
    await this.proofs.close()
    for (const pack of this.packs.values()) await (await pack.catch(() => undefined))?.close()
    this.packs.clear()
  }
}

/** Name of the file with a workchain's zerostate, in the folder of a recorded chain. */
export const zerostateFileName = (workchain: number): string => `zerostate_${workchain}.boc`

function parseNetwork({ network }: IndexJson): RecordedNetwork {
  const { global_id, zero_state, basechain_zero_state, other_zero_states = [], init_block } = network
  const zerostate = parseZerostate(zero_state, 'network.zero_state')
  return {
    globalId: global_id,
    zerostate,
    zerostates: [
      zerostate,
      ...(basechain_zero_state ? [parseZerostate(basechain_zero_state, 'network.basechain_zero_state')] : []),
      ...other_zero_states.map((json) => parseZerostate(json, 'network.other_zero_states')),
    ],
    initBlock: init_block ? parseBlockIdJson(init_block, 'network.init_block') : zerostate,
  }
}

/** Its file is named by the workchain. */
function parseZerostate(json: BlockIdJson, path: string): BlockId {
  if (Number.isInteger(json.workchain)) return parseBlockIdJson(json, path)
  throw new DecodeError(`index.json: ${path}.workchain`, 'is not an integer')
}
