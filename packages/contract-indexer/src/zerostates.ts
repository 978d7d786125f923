import { loadStateAfter } from '@shardwalk/blocks'
import { parseBoc } from '@shardwalk/cells'
import { type DatabaseHandle, type SeedState, seedStates } from '@shardwalk/db'
import { BASECHAIN, MASTERCHAIN } from '@shardwalk/model'
import type { BlockSource } from '@shardwalk/pipeline'
import { forEachShardAccount, loadShardState } from '@shardwalk/tlb'
import { sql } from 'kysely'

/**
 * Writes the accounts of the zerostates once block 1 is indexed; true when that is done, or the source lacks
 * them.
 */
export async function seedZerostates(
  { db, pool }: Pick<DatabaseHandle, 'db' | 'pool'>,
  source: Pick<BlockSource, 'getZerostate'>,
): Promise<boolean> {
  const { rows } = await sql<{
    first: number | null
  }>`select min(from_seqno) as first from indexed_ranges`.execute(db)
  const first = rows[0]?.first
  if (first === null || first === undefined || first > 1) return false
  for (const workchain of [MASTERCHAIN, BASECHAIN]) {
    const zerostate = await source.getZerostate(workchain)
    if (zerostate) await seedStates(pool, accountsOf(zerostate, workchain))
  }
  return true
}

/** Source: block.tlb `ShardStateUnsplit`, `ShardAccounts`. */
function accountsOf(zerostate: Buffer, workchain: number): SeedState[] {
  const bag = parseBoc(zerostate)
  const state = loadShardState(bag.slice(bag.root))
  const found: SeedState[] = []
  forEachShardAccount(state, ({ account }, accountId) => {
    found.push({
      address: { workchain, hash: Buffer.from(accountId) },
      state: loadStateAfter(account.preloadRefSlice()),
      stateHash: Buffer.from(account.refHash()),
      timestamp: state.genUtime,
    })
  })
  return found
}
