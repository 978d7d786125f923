import { FairTurns } from '@shardwalk/concurrency'
import {
  type BlockId,
  FULL_SHARD,
  formatBlockId,
  MASTERCHAIN,
  type ShardTop,
  type ShortBlockId,
  shardContains,
} from '@shardwalk/model'
import { verifyOutMsgQueueSize, verifyShardTops } from '@shardwalk/proofs'
import { AsyncCache } from '../async-cache.ts'
import { callScope } from '../call-scope.ts'
import { NodeAccessError } from '../errors.ts'
import type { LiteClient } from '../lite-client.ts'
import type { Heads } from './heads.ts'

/** Queries of one request that lite servers have at a time. A workchain may have 256 shards. */
const AT_ONCE = 16

/** Shard blocks committed by masterchain blocks, and their message queues. */
export class Shards {
  private readonly committed = new AsyncCache<readonly ShardTop[]>(500)
  private readonly queueSizes = new AsyncCache<number>(500)

  constructor(
    private readonly client: LiteClient,
    private readonly heads: Heads,
  ) {}

  /** Shard tops committed by a masterchain block, ordered by workchain, then left to right. */
  tops(mcBlock: BlockId): Promise<readonly ShardTop[]> {
    return this.committed.get(formatBlockId(mcBlock), () =>
      this.client.ask('liteServer.getAllShardsInfo', { id: mcBlock }, (answer) =>
        verifyShardTops(answer, mcBlock),
      ),
    )
  }

  /** The newest shard top that equals or contains the given shard, or is its first descendant. */
  async newestTop(wanted: ShortBlockId): Promise<BlockId> {
    const head = await this.heads.newest()
    if (wanted.workchain === MASTERCHAIN) return head
    const tops = (await this.tops(head)).filter(({ workchain }) => workchain === wanted.workchain)
    const top =
      tops.find(({ shard }) => shardContains(shard, wanted.shard)) ??
      tops.find(({ shard }) => shardContains(wanted.shard, shard))
    if (!top) throw new NodeAccessError('no_such_shard', `there is no shard of workchain ${wanted.workchain}`)
    return top
  }

  /**
   * Numbers of messages in the out queues after blocks that `mcBlock` commits. The others are not asked for
   * any more when the request has ended, or one of them has failed.
   */
  async queueSizesOf(ids: readonly BlockId[], mcBlock: BlockId): Promise<readonly number[]> {
    const turns = new FairTurns(AT_ONCE)
    const { signal } = callScope()
    const ended = new AbortController()
    const sizeOf = async (id: BlockId) => {
      signal?.throwIfAborted()
      ended.signal.throwIfAborted()
      return this.queueSize(id, mcBlock)
    }
    try {
      return await Promise.all(ids.map((id) => turns.run(() => sizeOf(id))))
    } finally {
      ended.abort()
    }
  }

  private queueSize(id: BlockId, mcBlock: BlockId): Promise<number> {
    return this.queueSizes.get(formatBlockId(id), () =>
      this.client.ask(
        'liteServer.getBlockOutMsgQueueSize',
        { mode: 0, id, wantProof: true },
        (answer) => Number(verifyOutMsgQueueSize(answer, id)),
        { mcBlockSeqno: mcBlock.seqno },
      ),
    )
  }

  /**
   * Size of the out queue above which nodes reject external messages. A setting of the server, without proof.
   */
  externalMessageLimit(): Promise<number> {
    const masterchain = { mode: 0, wc: MASTERCHAIN, shard: FULL_SHARD }
    return this.client.ask(
      'liteServer.getOutMsgQueueSizes',
      masterchain,
      ({ extMsgQueueSizeLimit }) => extMsgQueueSizeLimit,
    )
  }
}
