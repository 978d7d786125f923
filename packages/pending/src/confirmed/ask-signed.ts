import { sha256 } from '@shardwalk/cells'
import { type BlockId, sameBlock } from '@shardwalk/model'
import type { NodeAccess } from '@shardwalk/node-access'

type Pool = NodeAccess['client']['pool']

/** A block that a lite server says is signed. */
export interface Offer {
  readonly id: BlockId
  readonly server: string
  /** Its bytes, or those of a block before it. */
  readonly read: (id: BlockId) => Promise<Buffer>
}

const PENDING = 'liteServer.nonfinal.getPendingShardBlocks'
const GROUPS = 'liteServer.nonfinal.getValidatorGroups'
/** For one query. Milliseconds. */
const ANSWER_MS = 3_000

/** Lite servers that tell of signed blocks. */
export const offeringServers = (pool: Pool): readonly string[] => [
  ...new Set([...pool.nonfinalServers(PENDING), ...pool.nonfinalServers(GROUPS)]),
]

/** The signed blocks that the server knows of, the newest of each shard. */
export function askSigned(pool: Pool, server: string, signal: AbortSignal): Promise<readonly Offer[]> {
  const asked = { server, once: true, timeoutMs: ANSWER_MS, signal } as const
  const read = (id: BlockId) => pool.query('liteServer.getBlock', { id }, asked).then(({ data }) => data)
  return pool.nonfinalServers(PENDING).includes(server) ? pendingBlocks() : candidates()

  async function pendingBlocks(): Promise<readonly Offer[]> {
    const { signedBlocks } = await pool.query(PENDING, { mode: 0 }, asked)
    return signedBlocks.map((id) => ({ id, server, read }))
  }

  /** Validators sign a candidate with the keys of more than two thirds of the weight. */
  async function candidates(): Promise<readonly Offer[]> {
    const { groups } = await pool.query(GROUPS, { mode: 0 }, asked)
    const signed = groups
      .flatMap((group) => group.candidates)
      .filter((one) => one.available && 3n * one.signedWeight > 2n * one.totalWeight)
    return signed.map(({ id }) => ({
      id: id.blockId,
      server,
      read: (wanted) => (sameBlock(wanted, id.blockId) ? readCandidate(id) : read(wanted)),
    }))
  }

  type CandidateId = Parameters<typeof pool.query<'liteServer.nonfinal.getCandidate'>>[1]['id']

  async function readCandidate(id: CandidateId): Promise<Buffer> {
    const { data } = await pool.query(
      'liteServer.nonfinal.getCandidate',
      { id },
      {
        ...asked,
        check: (found) =>
          sha256(found.data).equals(id.blockId.fileHash) ? undefined : 'the candidate has another hash',
      },
    )
    return data
  }
}
