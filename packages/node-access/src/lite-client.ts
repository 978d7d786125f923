import { AsyncLocalStorage } from 'node:async_hooks'
import type { LiteServerPool, QueryOptions } from '@shardwalk/liteserver'
import { IndexerError } from '@shardwalk/model'
import type { LiteArguments, LiteFunctionName, LiteResults } from '@shardwalk/tl'

/** Numbers of the servers that answered for the current request: they stand in `@extra`. */
export const usedServers = new AsyncLocalStorage<Set<number>>()

export type AskOptions = Omit<QueryOptions, 'check'>

/** Queries whose answers are checked before anybody sees them. */
export class LiteClient {
  constructor(readonly pool: LiteServerPool) {}

  /**
   * What `verify` makes of the answer. When it throws, the server that gave the answer is reported and another one asked; a slow server is
   * raced by a second one.
   */
  async ask<N extends LiteFunctionName, T>(
    name: N,
    args: LiteArguments[N],
    verify: (value: LiteResults[N]) => T,
    options: AskOptions = {},
  ): Promise<T> {
    let verified: { readonly result: T } | undefined
    const check = (value: LiteResults[N]): string | undefined => {
      try {
        verified = { result: verify(value) }
        return undefined
      } catch (error) {
        // Proofs that fail and cells that cannot be read; anything else is a mistake of ours.
        if (error instanceof IndexerError) return error.message
        throw error
      }
    }
    const { server } = await this.pool.queryFrom(name, args, { urgent: true, ...options, check })
    usedServers.getStore()?.add(this.pool.servers().findIndex((known) => known.name === server))
    return verified!.result
  }
}
