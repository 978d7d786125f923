import type { LiteServerPool } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import type { TvmPool } from '@shardwalk/tvm'
import type { IndexedHead } from '../indexed-head.ts'
import { BlockFiles } from './block-file.ts'
import { ChainReader } from './chain-reader.ts'
import type { V2Context } from './context.ts'
import { GetMethods } from './get-methods.ts'
import { LiteClient } from './lite-client.ts'
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
  head: IndexedHead,
): () => V2Context | undefined {
  let made: V2Context | undefined
  return () => {
    const services = made ? undefined : lite?.()
    if (services) made = createContext(services, head)
    return made
  }
}

function createContext({ pool, tvm, anchor }: LiteServices, head: IndexedHead): V2Context {
  const client = new LiteClient(pool)
  const chain = new ChainReader({
    client,
    indexedSeqno: async () => (await head.read()).range?.to,
    ...(anchor && { trust: new TrustedHead(client, anchor) }),
  })
  return { chain, blocks: new BlockFiles(chain), getMethods: new GetMethods(tvm, chain) }
}
