import type { LiteServerPool } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import { createNodeAccess, type NodeAccess, type OnSending } from '@shardwalk/node-access'
import type { TvmPool } from '@shardwalk/tvm'
import type { ApiServices } from '../services.ts'

/** Dependencies of the endpoints that use lite servers. */
export interface LiteServices {
  readonly pool: LiteServerPool
  readonly tvm: TvmPool
  /** For messages and code supplied by clients. */
  readonly untrustedTvm: TvmPool
  /** Trusted block from which heads are proven. Undefined: heads are used as servers report them. */
  readonly anchor?: BlockId | undefined
}

interface Beside extends Pick<ApiServices, 'db' | 'writableDb' | 'log' | 'head'> {
  readonly onSending: OnSending
}

/** Access to the network, created once lite servers are known; undefined until then. */
export function lazyNode(
  lite: (() => LiteServices | undefined) | undefined,
  { db, writableDb, log, head, onSending }: Beside,
): () => NodeAccess | undefined {
  let node: NodeAccess | undefined
  return () => {
    const servers = node ? undefined : lite?.()
    const indexedSeqno = async () => (await head.read()).range?.to
    if (servers) node = createNodeAccess({ ...servers, db, writableDb, log, indexedSeqno, onSending })
    return node
  }
}
