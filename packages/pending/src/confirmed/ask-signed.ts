import { sha256 } from '@shardwalk/cells'
import { type BlockId, sameBlock } from '@shardwalk/model'
import type { NodeAccess } from '@shardwalk/node-access'

/** A block that is signed according to a lite server. */
export interface Offer {
  readonly id: BlockId
  /** Fetches the bytes of this block or of one before it. */
  readonly read: (id: BlockId) => Promise<Buffer>
}

/** Signed blocks according to lite servers, and the newest final blocks. */
export interface SignedSource {
  /** Names of the servers that may be asked now. */
  readonly servers: readonly string[]
  /** The signed blocks that the server knows of, the newest of each shard. */
  ask(server: string, signal: AbortSignal): Promise<readonly Offer[]>
  /** The newest final block of each shard. */
  tops(): Promise<readonly BlockId[]>
  /** Reports a server that sent false data. */
  report(server: string, fault: string): void
}

const PENDING = 'liteServer.nonfinal.getPendingShardBlocks'
const GROUPS = 'liteServer.nonfinal.getValidatorGroups'
/** For one query. Milliseconds. */
const ANSWER_MS = 3_000

/** Signed blocks from the lite servers of a node. */
export function signedSource({ client: { pool }, shards, blocks }: NodeAccess): SignedSource {
  return {
    // biome-ignore lint/plugin: one per process
    get servers() {
      return [...new Set([...pool.nonfinalServers(PENDING), ...pool.nonfinalServers(GROUPS)])]
    },
    ask: (server, signal) => askSigned(pool, server, signal),
    tops: async () => shards.tops(await blocks.masterchain()),
    report: (server, fault) => pool.report(server, fault),
  }
}

type Pool = NodeAccess['client']['pool']

function askSigned(pool: Pool, server: string, signal: AbortSignal): Promise<readonly Offer[]> {
  const asked = { server, once: true, timeoutMs: ANSWER_MS, signal } as const
  const read = (id: BlockId) => pool.query('liteServer.getBlock', { id }, asked).then(({ data }) => data)
  return pool.nonfinalServers(PENDING).includes(server) ? pendingBlocks() : candidates()

  async function pendingBlocks(): Promise<readonly Offer[]> {
    const { signedBlocks } = await pool.query(PENDING, { mode: 0 }, asked)
    return signedBlocks.map((id) => ({ id, read }))
  }

  /** Validators sign a candidate with the keys of more than two thirds of the weight. */
  async function candidates(): Promise<readonly Offer[]> {
    const { groups } = await pool.query(GROUPS, { mode: 0 }, asked)
    const signed = groups
      .flatMap((group) => group.candidates)
      .filter((one) => one.available && 3n * one.signedWeight > 2n * one.totalWeight)
    return signed.map(({ id }) => ({
      id: id.blockId,
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
