import { loadStateAfter } from '@shardwalk/blocks'
import { parseBoc } from '@shardwalk/cells'
import type { LiteServerPool } from '@shardwalk/liteserver'
import type { AccountStateAfter, BlockId, RawAddress } from '@shardwalk/model'
import { verifyAccountState } from '@shardwalk/proofs'

/** State of an account with complete cells. */
export interface FetchedState {
  readonly state: AccountStateAfter
  /** Hash of the Account cell. */
  readonly stateHash: Buffer
  /** Of its last transaction, as is the hash. */
  readonly lt: bigint
  readonly lastTransHash: Buffer
}

/** Gives states that the indexed blocks do not hold. */
export interface StateSource {
  /**
   * The proven state at a masterchain block, by default the newest; undefined if there is no such account.
   */
  account(address: RawAddress, at?: BlockId): Promise<FetchedState | undefined>
  /** Libraries by hash (hex), as bags of cells; unpublished ones are absent. */
  libraries(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, Buffer>>
}

/** Libraries per query. Source: liteserver.cpp. */
const MAX_LIBRARIES = 16

/** States at the newest masterchain block that lite servers have, each checked against its Merkle proof. */
export function liteServerStates(
  pool: Pick<LiteServerPool, 'head' | 'getMasterchainInfo' | 'getAccountState' | 'getLibraries'>,
): StateSource {
  return {
    async account(address, block) {
      const at = block ?? pool.head() ?? (await pool.getMasterchainInfo()).last
      const { account } = verifyAccountState(await pool.getAccountState(at, address), at, address)
      return (
        account && {
          state: loadStateAfter(account.cell.slice()),
          stateHash: Buffer.from(account.cell.hash()),
          lt: account.lastTransLt,
          lastTransHash: account.lastTransHash,
        }
      )
    },
    async libraries(hashes) {
      const found = new Map<string, Buffer>()
      for (let at = 0; at < hashes.length; at += MAX_LIBRARIES)
        for (const { data } of await pool.getLibraries(hashes.slice(at, at + MAX_LIBRARIES))) {
          const bag = parseBoc(data)
          // Keyed by its own hash, so that a wrong answer is never taken for what was asked.
          found.set(bag.hash(bag.root).toString('hex'), data)
        }
      return found
    },
  }
}
