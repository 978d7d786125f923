import {
  type BlockId,
  formatBlockId,
  MASTERCHAIN,
  masterchainId,
  type ShortBlockId,
  shardContainsPrefix,
} from '@shardwalk/model'
import {
  type BlockSelector,
  newStateHash,
  openBlockProof,
  type ProvenBlock,
  verifyLookup,
} from '@shardwalk/proofs'
import { LITE_MODE, type LiteResults } from '@shardwalk/tl'
import type { BlockInfo } from '@shardwalk/tlb'
import { AsyncCache } from '../async-cache.ts'
import { NodeAccessError } from '../errors.ts'
import type { AskOptions, LiteClient } from '../lite-client.ts'
import type { Heads } from './heads.ts'
import type { TrustedHead } from './trusted-head.ts'

/** The state before the first block of the masterchain, as `getMasterchainInfo` names it. */
export type ZeroState = LiteResults['liteServer.getMasterchainInfo']['init']

/** How long to wait for a block beyond the head, which servers may receive soon. Milliseconds. */
const ABSENT_MS = 1500

interface FoundBlock {
  readonly id: BlockId
  readonly header: BlockInfo
}

export interface BlocksOptions {
  readonly client: LiteClient
  readonly heads: Heads
  readonly trust?: TrustedHead | undefined
}

/** Ids and headers of blocks. */
export class Blocks {
  private readonly masterchainIds = new AsyncCache<BlockId>(5000)
  private readonly found = new AsyncCache<BlockId>(5000)
  private readonly headers = new AsyncCache<ProvenBlock>(2000)
  private readonly zeroStates = new AsyncCache<ZeroState>(1)

  constructor(private readonly options: BlocksOptions) {}

  /**
   * The masterchain block to read at: the given one, or the newest. With an anchor, it is proven to be in the
   * chain.
   */
  masterchain(seqno?: number): Promise<BlockId> {
    const { heads, trust } = this.options
    if (seqno === undefined) return heads.newest()
    return this.masterchainIds.get(String(seqno), async () => {
      const { id } = await this.ask(masterchainId(seqno), { seqno })
      await trust?.prove(id)
      return id
    })
  }

  /**
   * The block of the shard chain that the selector describes; `id.seqno` is ignored. By lt or time, it is
   * the first that ends at or after the lt, or that is not older than the time. With an anchor, masterchain
   * blocks are proven to be in the chain. Rejects with `NodeAccessError` `before_first_block` if no block
   * existed then, `block_not_kept` or `LiteServerError` if no lite server has the blocks of then.
   */
  lookup(id: ShortBlockId, selector: BlockSelector): Promise<BlockId> {
    if (id.workchain === MASTERCHAIN && 'seqno' in selector) return this.masterchain(selector.seqno)
    const [[name, value]] = Object.entries(selector) as [[string, number | bigint]]
    return this.found.get(`${id.workchain}:${id.shard}:${name}${value}`, async () => {
      const found = await this.first(id, selector)
      if (id.workchain === MASTERCHAIN) await this.options.trust?.prove(found)
      return found
    })
  }

  /** Header of a block, with the hash of the state after it. The id may come from a client. */
  header(id: BlockId): Promise<ProvenBlock> {
    return this.headers.get(formatBlockId(id), () =>
      this.options.client.ask(
        'liteServer.getBlockHeader',
        { id, mode: LITE_MODE.blockHeader.stateUpdate },
        ({ headerProof }) => openBlockProof(headerProof, id, 'header'),
        { mcBlockSeqno: 1, unproven: true },
      ),
    )
  }

  /** Hash of the state after a block. */
  async stateHash(id: BlockId): Promise<Buffer> {
    return newStateHash((await this.header(id)).root, 'state')
  }

  /**
   * The zerostate of the global config. If that names none, servers are asked for it; with an anchor, it is
   * proven to be in the chain.
   */
  async zeroState(): Promise<ZeroState> {
    const { client, trust } = this.options
    if (client.pool.zeroState) return client.pool.zeroState
    return this.zeroStates.get('', async () => {
      const zeroState = await client.ask('liteServer.getMasterchainInfo', {}, ({ init }) => init)
      await trust?.prove({ ...zeroState, ...masterchainId(0) })
      return zeroState
    })
  }

  /** A server that deleted the block returns the oldest one that it keeps, so that others are asked. */
  private async first(id: ShortBlockId, selector: BlockSelector): Promise<BlockId> {
    const found = await this.ask(id, selector)
    if (await this.isFirst(found, id, selector)) return found.id
    const older = await this.ask(id, selector, { archive: true })
    if (await this.isFirst(older, id, selector)) return older.id
    throw new NodeAccessError('block_not_kept', 'not in db')
  }

  /** Whether the block before the found one does not match too. */
  private async isFirst(
    { header }: FoundBlock,
    { shard }: ShortBlockId,
    selector: BlockSelector,
  ): Promise<boolean> {
    if (!beginsAfter(header, selector)) return true
    if (header.seqno === 1) throw new NodeAccessError('before_first_block', 'not in db')
    // After a merge there are two.
    const before = header.prev.find((prev) => shardContainsPrefix(prev.shard, shard)) ?? header.prev[0]!
    return !reaches((await this.header(before)).header, selector)
  }

  private ask(id: ShortBlockId, selector: BlockSelector, options: AskOptions = {}): Promise<FoundBlock> {
    return this.options.client.ask(
      'liteServer.lookupBlock',
      lookupArguments(id, selector),
      (found) => ({ id: found.id, header: verifyLookup(found, id, selector).header }),
      { mcBlockSeqno: 1, ...this.patienceFor(id, selector), ...options },
    )
  }

  private patienceFor({ workchain }: ShortBlockId, selector: BlockSelector): AskOptions {
    const head = this.options.heads.reported()
    const isFuture =
      workchain === MASTERCHAIN && 'seqno' in selector && head !== undefined && selector.seqno > head.seqno
    return isFuture ? { timeoutMs: ABSENT_MS, mcBlockSeqno: head.seqno } : {}
  }
}

function lookupArguments(id: ShortBlockId, selector: BlockSelector) {
  if ('seqno' in selector)
    return { mode: LITE_MODE.lookupBlock.bySeqno, id: { ...id, seqno: selector.seqno } }
  if ('lt' in selector) return { mode: LITE_MODE.lookupBlock.byLt, id, lt: selector.lt }
  return { mode: LITE_MODE.lookupBlock.byUtime, id, utime: selector.utime }
}

/** Whether an earlier block may match too. Which one of several in the same second is found is undefined. */
const beginsAfter = ({ startLt, genUtime }: BlockInfo, selector: BlockSelector): boolean =>
  ('lt' in selector && selector.lt < startLt) || ('utime' in selector && selector.utime < genUtime)

const reaches = ({ endLt, genUtime }: BlockInfo, selector: BlockSelector): boolean =>
  ('lt' in selector && selector.lt <= endLt) || ('utime' in selector && selector.utime <= genUtime)
