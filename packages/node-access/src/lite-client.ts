import type { LiteServerPool, QueryOptions } from '@shardwalk/liteserver'
import { IndexerError } from '@shardwalk/model'
import { FormNotKnown } from '@shardwalk/proofs'
import type { LiteArguments, LiteFunctionName, LiteResults } from '@shardwalk/tl'
import { callScope } from './call-scope.ts'

/** Options of a query; the check of its answer belongs to the method that asks. */
export type AskOptions = Omit<QueryOptions, 'check'>

/** Sends queries and verifies their answers. */
export class LiteClient {
  constructor(readonly pool: LiteServerPool) {}

  /**
   * Returns the result of `verify`. When it throws, the server that gave the answer is reported and another
   * one is asked, unless it throws `FormNotKnown`; if a server is slow, a second one is asked in parallel.
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
        // The proof is wrong or a cell cannot be parsed. Any other error is a bug in this program, or what
        // every server proves is newer than it.
        if (error instanceof IndexerError && !(error instanceof FormNotKnown)) return error.message
        throw error
      }
    }
    const { signal, onServer } = callScope()
    const { server } = await this.pool.queryFrom(name, args, {
      urgent: true,
      ...(signal && { signal }),
      ...options,
      check,
    })
    onServer?.(this.pool.servers().findIndex((known) => known.name === server))
    return verified!.result
  }
}
