import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseBoc } from '@shardwalk/cells'
import type { BlockId } from '@shardwalk/model'
import type { BlockSource } from '@shardwalk/pipeline'
import { loadShardState, loadStateConfig, workchainZerostates } from '@shardwalk/tlb'
import { parseBlockIdJson, type StepJson } from './format.ts'
import { zerostateFileName } from './recording.ts'

/**
 * Writes the zerostates that the source has. Returns the ids of all that the masterchain's zerostate and the
 * recorded steps name, the masterchain's first.
 */
export async function saveZerostates(
  source: Pick<BlockSource, 'zerostateId' | 'getZerostate'>,
  folder: string,
  steps: readonly StepJson[],
): Promise<readonly BlockId[]> {
  const masterchain = await source.zerostateId()
  const file = await source.getZerostate(masterchain)
  const named = [masterchain, ...(file ? atGenesis(file) : []), ...beginningIn(steps)]
  const ids = [...new Map(named.map((id) => [id.workchain, id])).values()]
  for (const id of ids) {
    const bytes = id === masterchain ? file : await source.getZerostate(id)
    if (bytes) await writeFile(join(folder, zerostateFileName(id.workchain)), bytes)
  }
  return ids
}

function atGenesis(masterchain: Buffer): readonly BlockId[] {
  const bag = parseBoc(masterchain)
  const state = loadShardState(bag.slice(bag.root))
  return state.custom ? workchainZerostates(loadStateConfig(state.custom.loadRefSlice()), state.genUtime) : []
}

/** A workchain begins with its zerostate as top, and its first block follows it. */
function* beginningIn(steps: readonly StepJson[]): Generator<BlockId> {
  for (const { shard_tops, shards } of steps) {
    const prev = shards.flatMap(({ workchain, prev }) => prev.map((id) => ({ workchain, ...id })))
    for (const id of [...shard_tops, ...prev]) if (id.seqno === 0) yield parseBlockIdJson(id, 'shard_tops')
  }
}
