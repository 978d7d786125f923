import { type BlockId, formatBlockId } from '@shardwalk/model'
import { AsyncCache } from '../async-cache.ts'
import { callScope } from '../call-scope.ts'
import { NodeAccessError } from '../errors.ts'
import type { LiteClient } from '../lite-client.ts'
import type { TrustedHead } from './trusted-head.ts'

export interface HeadsOptions {
  readonly client: LiteClient
  /** The newest indexed masterchain block; heads are never older. */
  readonly indexedSeqno: () => Promise<number | undefined>
  /** Undefined: heads are taken as servers report them. */
  readonly trust?: TrustedHead | undefined
}

/** How long lite servers that are behind the index are waited for. Milliseconds. */
const CATCH_UP_MS = 5000
/** The oldest head that may be answered with when no newer one can be proven. */
const MAX_TRUSTED_LAG = 20

/** The newest masterchain block. */
export class Heads {
  private readonly trusted = new AsyncCache<BlockId>(16)

  constructor(private readonly options: HeadsOptions) {}

  /** The newest block that servers report, proven or not; undefined while none has reported any. */
  reported(): BlockId | undefined {
    return this.options.client.pool.head()
  }

  /**
   * The newest block, at least as new as the newest indexed one, proven by signatures when there is an
   * anchor.
   */
  async newest(): Promise<BlockId> {
    const { pool } = this.options.client
    const indexed = (await this.options.indexedSeqno().catch(() => undefined)) ?? 0
    const isOld = (id: BlockId | undefined) => id === undefined || id.seqno < indexed
    if (isOld(pool.head())) {
      const { signal } = callScope()
      await pool.waitMasterchainSeqno(Math.max(indexed, 1), {
        timeoutMs: CATCH_UP_MS,
        ...(signal && { signal }),
      })
    }
    const head = pool.head()
    if (!head || isOld(head))
      throw new NodeAccessError('head_not_available', `no lite server has masterchain block ${indexed}`)
    return this.prove(head, indexed)
  }

  /**
   * A server may report a head that it made up: the newest proven one stands in for it, if it is not too old.
   */
  private async prove(head: BlockId, indexed: number): Promise<BlockId> {
    const { trust } = this.options
    if (!trust) return head
    return this.trusted.get(formatBlockId(head), async () => {
      try {
        await trust.prove(head)
        return head
      } catch (error) {
        const { latest } = trust
        if (latest.seqno >= indexed && latest.seqno + MAX_TRUSTED_LAG >= head.seqno) return latest
        throw error
      }
    })
  }
}
