import type { V2MethodName, V2ValuesOf } from '@shardwalk/api-schema'
import type { BlockFiles } from './block-file.ts'
import type { ChainIndex } from './chain-index.ts'
import type { ChainReader } from './chain-reader.ts'
import type { GetMethods } from './get-methods.ts'
import type { SentMessages } from './sent-messages.ts'

/** What handlers of API v2 work with. */
export interface V2Context {
  readonly chain: ChainReader
  readonly blocks: BlockFiles
  readonly getMethods: GetMethods
  readonly index: ChainIndex
  readonly sent: SentMessages
}

/** Gives the `result` of the envelope; throws what `toV2Failure` understands. */
export type V2Handler<N extends V2MethodName> = (
  context: V2Context,
  values: V2ValuesOf<N>,
) => Promise<unknown> | unknown
export type V2Handlers<N extends V2MethodName> = { readonly [K in N]: V2Handler<K> }
