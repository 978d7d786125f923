import {
  type BlockId,
  type BlockSkeleton,
  formatBlockId,
  IndexerError,
  type RawBlock,
  sameBlock,
} from '@shardwalk/model'
import { BlockNotAvailable, type BlockSource, type RawBatch, type SeqnoRange } from '@shardwalk/pipeline'
import type { Frontiers } from './frontiers.ts'
import { fetchShards, readSkeleton, WrongBytes } from './walk.ts'

/** Two neighbouring masterchain blocks of one source do not belong together. */
export class BrokenChain extends IndexerError {
  readonly code = 'broken_chain'
  readonly retry = 'later'

  constructor(block: BlockId, claimed: BlockId | undefined, actual: BlockId) {
    super(
      `${formatBlockId(block)} follows ${claimed ? formatBlockId(claimed) : 'nothing'}, but its predecessor is ${formatBlockId(actual)}`,
    )
  }
}

export interface FetchOptions {
  readonly source: BlockSource
  readonly frontiers: Frontiers
  /** The head's blocks go before all others. */
  readonly urgent: boolean
  /** Masterchain blocks that are fetched ahead of the one being handed out. */
  readonly ahead: number
  readonly signal: AbortSignal
}

/** A masterchain block and its header part; `skeleton` undefined: the bytes are the block's, but cannot be read. */
export interface MasterchainStep {
  readonly raw: RawBlock
  readonly skeleton: BlockSkeleton | undefined
}

/**
 * Batches of a range in order, each complete with its shard blocks. Every masterchain block is checked to follow the one before it; the
 * one before the range is found through the first block's own reference, so that link cannot be wrong.
 */
export async function* fetchRange(range: SeqnoRange, options: FetchOptions): AsyncGenerator<RawBatch> {
  const steps = new Map<number, Promise<MasterchainStep>>()
  const batches = new Map<number, Promise<RawBatch>>()
  const step = (seqno: number) => remember(steps, seqno, () => fetchMasterchain(seqno, options))
  const batch = (seqno: number) =>
    remember(batches, seqno, async () => {
      const previous = seqno > range.from ? await step(seqno - 1) : undefined
      return fetchBatch(await step(seqno), previous, options)
    })
  for (let seqno = range.from; seqno <= range.to; seqno++) {
    options.signal.throwIfAborted()
    for (let next = seqno; next <= Math.min(range.to, seqno + options.ahead); next++) batch(next)
    yield await batch(seqno)
    batches.delete(seqno)
    steps.delete(seqno - 1)
  }
}

function remember<T>(map: Map<number, Promise<T>>, key: number, make: () => Promise<T>): Promise<T> {
  let found = map.get(key)
  if (!found) {
    found = make()
    // It is awaited later; until then its failure is not an unhandled one.
    found.catch(() => {})
    map.set(key, found)
  }
  return found
}

/** Lookups of one block that may name an id that leads nowhere. */
const MAX_LOOKUPS = 5

async function fetchMasterchain(
  seqno: number,
  { source, urgent, signal }: FetchOptions,
): Promise<MasterchainStep> {
  for (let attempt = 1; ; attempt++) {
    const id = await source.masterchainBlockId(seqno, { signal })
    try {
      const raw = { id, bytes: await source.getBlock(id, { urgent, signal }) }
      return { raw, skeleton: readSkeleton(raw) }
    } catch (error) {
      // Only the file shows that a looked-up id is wrong in part; another lookup may be answered by another server.
      const doubtful = error instanceof WrongBytes || error instanceof BlockNotAvailable
      if (!doubtful || attempt >= MAX_LOOKUPS) throw error
    }
  }
}

async function fetchBatch(
  { raw, skeleton }: MasterchainStep,
  previous: MasterchainStep | undefined,
  options: FetchOptions,
): Promise<RawBatch> {
  const mcBlockSeqno = raw.id.seqno
  if (!skeleton) return { masterchain: raw, shards: [], mcBlockSeqno, globalVersion: 0 }
  checkLink(skeleton, previous)
  if (previous) options.frontiers.remember(previous)
  const [before, globalVersion] = await Promise.all([
    options.frontiers.before(skeleton, options),
    options.source.globalVersionAtKeyBlock(skeleton.header.prevKeyBlockSeqno, options),
  ])
  const shards = await fetchShards(skeleton, before, (id) => options.source.getBlock(id, options))
  options.frontiers.remember({ raw, skeleton })
  return { masterchain: raw, shards, mcBlockSeqno, globalVersion }
}

function checkLink(skeleton: BlockSkeleton, previous: MasterchainStep | undefined): void {
  if (!previous) return
  const claimed = skeleton.prev[0]
  if (!claimed || !sameBlock(claimed, previous.raw.id))
    throw new BrokenChain(skeleton.id, claimed, previous.raw.id)
}
