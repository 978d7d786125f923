import type { Db } from '@shardwalk/db'
import type { LiteServerPool } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import { type Logger, silentLogger } from '@shardwalk/observability'
import type { TvmPool } from '@shardwalk/tvm'
import { Accounts } from './accounts/accounts.ts'
import { ChainIndex } from './accounts/chain-index.ts'
import { BlockProofs } from './blocks/block-proofs.ts'
import { BlockTransactions } from './blocks/block-transactions.ts'
import { Blocks } from './blocks/blocks.ts'
import { Configuration } from './blocks/configuration.ts'
import { Heads } from './blocks/heads.ts'
import { Shards } from './blocks/shards.ts'
import { TrustedHead } from './blocks/trusted-head.ts'
import { GetMethods } from './get-methods/get-methods.ts'
import { LiteClient } from './lite-client.ts'
import { type OnSending, SentMessages } from './messages/sent-messages.ts'
import type { NodeAccess } from './node-access.ts'

export interface NodeAccessOptions {
  readonly pool: LiteServerPool
  readonly tvm: TvmPool
  /** Runs messages and code supplied by clients, separately from the get-methods of contracts. */
  readonly untrustedTvm: TvmPool
  /**
   * Trusted block from which every other block is proven. Undefined: heads are used as servers report them.
   */
  readonly anchor?: BlockId | undefined
  /** Database whose index saves queries. Undefined or unavailable: lite servers answer everything. */
  readonly db?: Db | undefined
  /** Where sent messages are stored. Undefined: they are not stored. */
  readonly writableDb?: Db | undefined
  /** Called with every message that is sent. */
  readonly onSending?: OnSending | undefined
  /** Newest indexed masterchain block; answers are at least as new. */
  readonly indexedSeqno?: () => Promise<number | undefined>
  readonly log?: Logger
}

/** Opens no connections: the caller creates and closes `pool`, `tvm` and `db`. */
export function createNodeAccess(options: NodeAccessOptions): NodeAccess {
  const {
    pool,
    tvm,
    untrustedTvm,
    anchor,
    db,
    writableDb,
    onSending,
    log = silentLogger,
    indexedSeqno = async () => undefined,
  } = options
  const client = new LiteClient(pool)
  const index = new ChainIndex(db, log)
  const trust = anchor && new TrustedHead(client, { anchor, known: () => index.newestTrustedKeyBlock() })
  const heads = new Heads({ client, indexedSeqno, trust })
  const blocks = new Blocks({ client, heads, trust })
  const shards = new Shards(client, heads)
  const configuration = new Configuration(client, blocks)
  return {
    client,
    heads,
    blocks,
    shards,
    configuration,
    blockTransactions: new BlockTransactions(client),
    blockProofs: new BlockProofs(client, blocks),
    accounts: new Accounts(client, shards, index),
    getMethods: new GetMethods({ tvm, untrustedTvm, heads, configuration }),
    index,
    sent: new SentMessages(writableDb, log, onSending),
  }
}
