import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@shardwalk/concurrency'
import { BASECHAIN, type BlockId, formatShard } from '@shardwalk/model'
import type { PackEntry } from '../pack/format.ts'
import type { ReadBlock } from './fetch-step.ts'
import { type BlockJson, formatBlockIdJson, type IndexJson, type StepJson } from './format.ts'

/** A block's entry in `index.json`; `place` is its position in the package. */
export function formatBlock({ id, skeleton, prev }: ReadBlock, file: string, place: PackEntry): BlockJson {
  const { header } = skeleton
  return {
    ...formatBlockIdJson(id),
    gen_utime: header.genUtime,
    start_lt: header.startLt.toString(),
    end_lt: header.endLt.toString(),
    prev: prev.map(formatPrev),
    ...(header.afterSplit && { after_split: true }),
    ...(header.afterMerge && { after_merge: true }),
    ...(header.beforeSplit && { before_split: true }),
    ...(header.wantSplit && { want_split: true }),
    ...(header.wantMerge && { want_merge: true }),
    ...(header.keyBlock && { key_block: true }),
    file,
    offset: place.offset,
    data_offset: place.dataOffset,
    size: place.size,
  }
}

const formatPrev = (id: BlockId) => ({
  shard: formatShard(id.shard),
  seqno: id.seqno,
  root_hash: id.rootHash.toString('hex'),
  file_hash: id.fileHash.toString('hex'),
})

/** What `index.json` lists; steps in order of masterchain seqno. */
export interface IndexContent {
  readonly globalId: number
  /** Of all workchains that are known, the masterchain's first. */
  readonly zerostates: readonly BlockId[]
  readonly files: readonly string[]
  readonly steps: readonly StepJson[]
}

/** Writes `index.json`, last of all: a folder with one is complete. */
export async function writeIndex(folder: string, content: IndexContent): Promise<void> {
  await replaceFile(join(folder, 'index.json'), formatIndex(await describe(folder, content)))
}

async function describe(folder: string, content: IndexContent): Promise<IndexJson> {
  const { steps } = content
  const [masterchain, ...workchains] = content.zerostates
  const zero_state = formatBlockIdJson(masterchain!)
  const basechain = workchains.find(({ workchain }) => workchain === BASECHAIN)
  const others = workchains.filter((id) => id !== basechain)
  const first = steps[0]!.block
  // The initially trusted block must be a key block or the zerostate, because others are proven from it.
  const anchor = steps.find(({ block }) => block.key_block)?.block ?? first
  return {
    network: {
      global_id: content.globalId,
      zero_state,
      ...(basechain && { basechain_zero_state: formatBlockIdJson(basechain) }),
      ...(others.length > 0 && { other_zero_states: others.map(formatBlockIdJson) }),
      init_block: first.seqno === 1 ? zero_state : idOf(anchor),
    },
    first_masterchain_seqno: first.seqno,
    last_masterchain_block: idOf(steps.at(-1)!.block),
    packs: await Promise.all(content.files.map((file) => describePack(folder, file))),
    masterchain: steps,
  }
}

const idOf = ({ workchain, shard, seqno, root_hash, file_hash }: BlockJson) => ({
  workchain,
  shard,
  seqno,
  root_hash,
  file_hash,
})

async function describePack(folder: string, file: string): Promise<IndexJson['packs'][number]> {
  const path = join(folder, file)
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer)
  return { file, size: (await stat(path)).size, sha256: digest.digest('hex') }
}

/** Writes one line per masterchain block, so that recordings can be compared with diff. */
function formatIndex(index: IndexJson): string {
  const { masterchain, ...head } = index
  const lines = masterchain.map((step) => `  ${JSON.stringify(step)}`)
  const top = JSON.stringify(head, null, 1).slice(0, -2)
  return `${top},\n "masterchain": [\n${lines.join(',\n')}\n ]\n}\n`
}
