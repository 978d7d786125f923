import { fileURLToPath } from 'node:url'
import { decodeBlock } from '@shardwalk/blocks'
import type { BlockId, RawBlock } from '@shardwalk/model'
import { type RecordedBlock, Recording, RecordingSource } from '@shardwalk/sources'
import type { VersionedBatch } from './synthetic-chain.ts'

/**
 * Folder of the sample: a private network of 529 masterchain blocks recorded from a real node. See its
 * README.
 */
export const FIXTURE_CHAIN_FOLDER = fileURLToPath(new URL('../../../fixtures/chain', import.meta.url))

export interface FixtureBatch extends VersionedBatch {
  readonly mcBlockSeqno: number
  /** In commit order, with the masterchain block last. */
  readonly raw: readonly RawBlock[]
}

/** By masterchain seqno. The files of a worker share what was decoded. */
const decoded = new Map<number, FixtureBatch>()
/** Global versions by the root hash of the key block, or of the zerostate. */
const versions = new Map<string, number>()

/**
 * Decoded batches of the sample, which callers must not change. `from` and `to` are masterchain seqnos,
 * inclusive. Default: all.
 */
export async function* fixtureChain(
  range: { from?: number; to?: number } = {},
): AsyncGenerator<FixtureBatch> {
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const source = new RecordingSource(recording)
  const zerostate = await source.zerostateId()
  const versionAt = async (keyBlock: BlockId): Promise<number> => {
    const key = keyBlock.rootHash.toString('hex')
    const version = versions.get(key) ?? (await source.globalVersionAtKeyBlock(keyBlock))
    versions.set(key, version)
    return version
  }
  const decode = async (seqno: number): Promise<FixtureBatch> => {
    const step = recording.step(seqno)!
    const read = async (block: RecordedBlock) => ({ id: block.id, bytes: await recording.read(block) })
    const raw: RawBlock[] = []
    for (const block of [...step.shards, step.block]) raw.push(await read(block))
    const shards = raw.map((block) => decodeBlock(block))
    const masterchain = shards.pop()!
    const globalVersion = await versionAt(masterchain.prevKeyBlock ?? zerostate)
    return { mcBlockSeqno: seqno, raw, globalVersion, batch: { masterchain, shards } }
  }
  try {
    for (let seqno = range.from ?? recording.first; seqno <= (range.to ?? recording.last); seqno++) {
      const batch = decoded.get(seqno) ?? (await decode(seqno))
      decoded.set(seqno, batch)
      yield batch
    }
  } finally {
    await recording.close()
  }
}

/** Zerostate file of the sample. */
export async function fixtureZerostate(workchain = -1): Promise<Buffer> {
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  try {
    const id = recording.network.zerostates.find((zerostate) => zerostate.workchain === workchain)
    return (await recording.zerostate(id!))!
  } finally {
    await recording.close()
  }
}
