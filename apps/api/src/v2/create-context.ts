import type { LiteServerPool } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import type { TvmPool } from '@shardwalk/tvm'
import type { ApiServices } from '../services.ts'
import { BlockFiles } from './block-file.ts'
import { ChainIndex } from './chain-index.ts'
import { ChainReader } from './chain-reader.ts'
import type { V2Context } from './context.ts'
import { GetMethods } from './get-methods.ts'
import { LiteClient } from './lite-client.ts'
import { SentMessages } from './sent-messages.ts'
import { TrustedHead } from './trusted-head.ts'

/** What the non-indexed interface needs. */
export interface LiteServices {
  readonly pool: LiteServerPool
  readonly tvm: TvmPool
  /** A block to trust from the start; heads are proven from it. Undefined: heads are believed. */
  readonly anchor?: BlockId | undefined
}

/** The context of the services there are; made once. */
export function v2Context(
  lite: (() => LiteServices | undefined) | undefined,
  services: Pick<ApiServices, 'db' | 'log' | 'head'>,
): () => V2Context | undefined {
  let made: V2Context | undefined
  return () => {
    const servers = made ? undefined : lite?.()
    if (servers) made = createContext(servers, services)
    return made
  }
}

function createContext(
  { pool, tvm, anchor }: LiteServices,
  { db, log, head }: Pick<ApiServices, 'db' | 'log' | 'head'>,
): V2Context {
  const client = new LiteClient(pool)
  const index = new ChainIndex(db, log)
  const trust = anchor && new TrustedHead(client, { anchor, known: () => index.newestTrustedKeyBlock() })
  const chain = new ChainReader({
    client,
    indexedSeqno: async () => (await head.read()).range?.to,
    ...(trust && { trust }),
  })
  return {
    chain,
    index,
    blocks: new BlockFiles(chain),
    getMethods: new GetMethods(tvm, chain),
    sent: new SentMessages(db, log),
  }
}
