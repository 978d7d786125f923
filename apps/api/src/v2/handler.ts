import type { V2MethodName, V2ValuesOf } from '@shardwalk/api-schema'
import type { NodeAccess } from '@shardwalk/node-access'
import type { Work } from '@shardwalk/node-access/requests'

/** Returns the `result` of the envelope; throws errors that `toV2Failure` accepts. */
export type V2Handler<N extends V2MethodName> = (
  node: NodeAccess,
  values: V2ValuesOf<N>,
  work: Work,
) => Promise<unknown> | unknown
/** Handlers by the name of their method. */
export type V2Handlers<N extends V2MethodName> = { readonly [K in N]: V2Handler<K> }
