import type { Db } from '@shardwalk/db'
import type { LiteServerPool } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import { type Logger, silentLogger } from '@shardwalk/observability'
import type { TvmPool } from '@shardwalk/tvm'
import { BlockFiles } from './block-file.ts'
import { ChainIndex } from './chain-index.ts'
import { ChainReader } from './chain-reader.ts'
import { GetMethods } from './get-methods.ts'
import { LiteClient } from './lite-client.ts'
import { SentMessages } from './sent-messages.ts'
import { TrustedHead } from './trusted-head.ts'

export interface NodeAccessOptions {
  readonly pool: LiteServerPool
  readonly tvm: TvmPool
  /** Trusted from the start: every block is proven from it. Undefined: heads are taken as servers report them. */
  readonly anchor?: BlockId | undefined
  /** The index, where some answers stand already. Undefined, or away: lite servers answer everything. */
  readonly db?: Db | undefined
  /** The newest indexed masterchain block: answers are at least as new. */
  readonly indexedSeqno?: () => Promise<number | undefined>
  readonly log?: Logger
}

/** What can be asked of the network. Answers are proven before anybody sees them; what cannot change is cached. */
export interface NodeAccess {
  readonly chain: ChainReader
  readonly blocks: BlockFiles
  readonly getMethods: GetMethods
  readonly index: ChainIndex
  readonly sent: SentMessages
}

/** Opens nothing and owns nothing: the caller closes `pool`, `tvm` and `db`. */
export function createNodeAccess(options: NodeAccessOptions): NodeAccess {
  const { pool, tvm, anchor, db, log = silentLogger, indexedSeqno = async () => undefined } = options
  const client = new LiteClient(pool)
  const index = new ChainIndex(db, log)
  const trust = anchor && new TrustedHead(client, { anchor, known: () => index.newestTrustedKeyBlock() })
  const chain = new ChainReader({ client, indexedSeqno, ...(trust && { trust }) })
  return {
    chain,
    index,
    blocks: new BlockFiles(chain),
    getMethods: new GetMethods(tvm, chain),
    sent: new SentMessages(db, log),
  }
}
