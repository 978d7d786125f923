import type { LiteServerPool } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import { createNodeAccess, type NodeAccess } from '@shardwalk/node-access'
import type { TvmPool } from '@shardwalk/tvm'
import type { ApiServices } from '../services.ts'

/** What the endpoints that read lite servers need. */
export interface LiteServices {
  readonly pool: LiteServerPool
  readonly tvm: TvmPool
  /** For messages and code that clients bring along. */
  readonly strangersTvm: TvmPool
  /**
   * A block to trust from the start, from which heads are proven. Undefined: heads are taken as servers
   * report them.
   */
  readonly anchor?: BlockId | undefined
}

/** Access to the node, made once there are lite servers; undefined until then. */
export function lazyNode(
  lite: (() => LiteServices | undefined) | undefined,
  { db, writableDb, log, head }: Pick<ApiServices, 'db' | 'writableDb' | 'log' | 'head'>,
): () => NodeAccess | undefined {
  let node: NodeAccess | undefined
  return () => {
    const servers = node ? undefined : lite?.()
    const indexedSeqno = async () => (await head.read()).range?.to
    if (servers) node = createNodeAccess({ ...servers, db, writableDb, log, indexedSeqno })
    return node
  }
}
