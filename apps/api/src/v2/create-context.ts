import type { LiteServerPool } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import { createNodeAccess, type NodeAccess } from '@shardwalk/node-access'
import type { TvmPool } from '@shardwalk/tvm'
import type { ApiServices } from '../services.ts'

/** What the non-indexed interface needs. */
export interface LiteServices {
  readonly pool: LiteServerPool
  readonly tvm: TvmPool
  /** A block to trust from the start; heads are proven from it. Undefined: heads are believed. */
  readonly anchor?: BlockId | undefined
}

/** Access to the node over the services there are; made once. */
export function v2Context(
  lite: (() => LiteServices | undefined) | undefined,
  { db, log, head }: Pick<ApiServices, 'db' | 'log' | 'head'>,
): () => NodeAccess | undefined {
  let made: NodeAccess | undefined
  return () => {
    const servers = made ? undefined : lite?.()
    if (servers)
      made = createNodeAccess({
        ...servers,
        db,
        log,
        indexedSeqno: async () => (await head.read()).range?.to,
      })
    return made
  }
}
