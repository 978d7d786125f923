import { withDeadline } from '@shardwalk/concurrency'
import { type BlockId, formatBlockId } from '@shardwalk/model'
import { AsyncCache } from '../async-cache.ts'
import { callScope } from '../call-scope.ts'
import { NodeAccessError } from '../errors.ts'
import type { LiteClient } from '../lite-client.ts'
import type { TrustedHead } from './trusted-head.ts'

export interface HeadsOptions {
  readonly client: LiteClient
  /** Newest indexed masterchain block; heads are never older. */
  readonly indexedSeqno: () => Promise<number | undefined>
  /** Undefined: heads are used as servers report them. */
  readonly trust?: Pick<TrustedHead, 'latest' | 'proveHead'> | undefined
  /** For tests. */
  readonly promptMs?: number
}

/** How long to wait for lite servers that are behind the index. Milliseconds. */
const CATCH_UP_MS = 5000
/** How long to wait for the proof of a head while an older one is proven. Milliseconds. */
const PROMPT_MS = 1000
/** Maximum age, in blocks, of a proven head that is used when no newer one can be proven in time. */
const MAX_TRUSTED_LAG = 20

/** The newest masterchain block. */
export class Heads {
  private readonly trusted = new AsyncCache<BlockId>(16)

  constructor(private readonly options: HeadsOptions) {}

  /** The newest block that servers report, proven or not; undefined until one has reported its head. */
  reported(): BlockId | undefined {
    return this.options.client.pool.head()
  }

  /**
   * The newest block, at least as new as the newest indexed one. With an anchor, it is proven by signatures.
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
   * Proves a reported head, which a server may have made up. If that fails or takes long, the newest proven
   * head is used unless it is too old.
   */
  private async prove(head: BlockId, indexed: number): Promise<BlockId> {
    const { trust, promptMs = PROMPT_MS } = this.options
    if (!trust) return head
    const proof = this.trusted.get(formatBlockId(head), async () => {
      await trust.proveHead(head)
      return head
    })
    try {
      return await withDeadline(proof, promptMs, () => new Error('not proven in time'))
    } catch {
      const { latest } = trust
      return latest.seqno >= indexed && latest.seqno + MAX_TRUSTED_LAG >= head.seqno ? latest : proof
    }
  }
}
