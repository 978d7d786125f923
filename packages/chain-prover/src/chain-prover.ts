import { setMaxListeners } from 'node:events'
import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import {
  type Db,
  findMasterchainIds,
  findProvedBlock,
  insertConflict,
  listConflicts,
  listIndexedRanges,
  listTrustedKeyBlocks,
  rememberKeyBlocks,
  saveProvedBlock,
} from '@shardwalk/db'
import { type BlockId, errorMessage, masterchainId, sameBlock } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import type { BlockSource, DecodedBatch, ProveHead, SeqnoRange } from '@shardwalk/pipeline'
import { TrustAnchors } from './anchors.ts'
import { BlockProver, type ProofPool } from './block-prover.ts'
import { ChainConflict, NotProvableNow } from './errors.ts'
import { type CommittedLinks, linksOf, recordLinks, walkLinks } from './link-walk.ts'

export interface ChainProverOptions {
  readonly db: Db
  readonly pool: ProofPool
  readonly source: Pick<BlockSource, 'getBlock'>
  /** Trusted without proof: zerostate, init block and hard forks of the global config. */
  readonly anchors: readonly BlockId[]
  readonly log: Logger
  /** A stored block is false. The evidence is stored; indexing must stop. */
  readonly onConflict: (conflict: ChainConflict) => void
  readonly onProved?: (range: SeqnoRange) => void
  /** Pause between two rounds. Default 2 s. */
  readonly everyMs?: number
}

const EVERY_MS = 2_000
/**
 * Number of blocks that one round fetches to link what the indexing walk left unlinked. Limited so that the
 * head is not delayed.
 */
const WALKED_AT_ONCE = 256
/** Number of commits whose links wait for the next round. Dropped ones are fetched again later. */
const MAX_WAITING = 4_096

/**
 * Proves the indexed chain, behind indexing: signatures lead from the network's anchor to the newest indexed
 * block, and references from there to older blocks. All state is in the database, so several processes may
 * run it.
 */
export class ChainProver {
  private readonly waiting: CommittedLinks[] = []
  private prover: Promise<BlockProver> | undefined
  private unprovableReason: string | undefined
  /** The stored part of the masterchain that is proven. */
  proved: SeqnoRange | undefined

  constructor(private readonly options: ChainProverOptions) {}

  /** Why the newest indexed block cannot be proven for now; undefined when it can. */
  get unprovable(): string | undefined {
    return this.unprovableReason
  }

  /** Takes the links of a commit; must be called with every commit. */
  committed(batches: readonly DecodedBatch[]): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push(...linksOf(batches))
  }

  /** Runs until the signal aborts or a conflict is found. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, everyMs = EVERY_MS } = this.options
    const ended = new AbortController()
    const stop = AbortSignal.any([signal, ended.signal])
    const step = async () => {
      try {
        await this.step(stop)
        await sleep(everyMs, stop)
      } catch (error) {
        if (!(error instanceof ChainConflict)) throw error
        await this.conflict(error)
        ended.abort()
      }
    }
    const onError = (error: unknown, retryInMs: number) => {
      const known = error instanceof NotProvableNow && this.unprovableReason !== undefined
      this.unprovableReason = errorMessage(error)
      if (!known && !signal.aborted) log.warn('blocks could not be proven', { error, retry_in_ms: retryInMs })
    }
    await loopUntilAborted(step, { signal: stop, onError, firstDelayMs: 1_000, maxDelayMs: 30_000 })
  }

  /** One round; public for tests. Throws `ChainConflict`. */
  async step(signal: AbortSignal): Promise<void> {
    // Every query and fetch of the round adds a listener.
    setMaxListeners(0, signal)
    const { db } = this.options
    await this.recordWaiting()
    const indexed = await listIndexedRanges(db)
    await this.proveNewest(indexed.at(-1)?.to, signal)
    await this.walkDown(indexed, signal)
    this.unprovableReason = undefined
  }

  /** Proves that a block belongs to the chain, asking only this server. Throws what `BlockProver` throws. */
  readonly proveHead: ProveHead = async (id, { server, signal }) =>
    (await this.open()).prove(id, signal, server)

  private async recordWaiting(): Promise<void> {
    for (const links of this.waiting.splice(0)) await recordLinks(this.options.db, links)
  }

  private async proveNewest(newest: number | undefined, signal: AbortSignal): Promise<void> {
    const { db } = this.options
    const proved = await findProvedBlock(db)
    const stored = await findMasterchainIds(
      db,
      [proved?.seqno, newest].filter((seqno) => seqno !== undefined),
    )
    const again = proved && stored.get(proved.seqno)
    if (again && !sameBlock(again, proved)) throw new ChainConflict(again, proved, { proved_before: true })
    const target = newest === undefined ? undefined : stored.get(newest)
    if (!target || (proved && proved.seqno >= target.seqno)) return
    const path = await this.prove(target, signal)
    await this.compareKeyBlocks(path.keyBlocks, path.lastProof)
    await saveProvedBlock(db, target)
  }

  /**
   * Servers give the same answer for a false block and for one that is too old; in both cases the right one
   * is looked up and proven.
   */
  private async prove(target: BlockId, signal: AbortSignal) {
    const prover = await this.open()
    try {
      return await prover.prove(target, signal)
    } catch (error) {
      if (!(error instanceof NotProvableNow)) throw error
      const found = await this.options.pool
        .lookupBlock(masterchainId(target.seqno), { signal })
        .catch(() => undefined)
      if (!found || sameBlock(found, target)) throw error
      const path = await prover.prove(found, signal)
      throw new ChainConflict(target, found, { from: path.from.seqno, proof: path.lastProof })
    }
  }

  private async compareKeyBlocks(keyBlocks: readonly BlockId[], proof: string): Promise<void> {
    const stored = await findMasterchainIds(
      this.options.db,
      keyBlocks.map(({ seqno }) => seqno),
    )
    for (const id of keyBlocks) {
      const found = stored.get(id.seqno)
      if (found && !sameBlock(found, id)) throw new ChainConflict(found, id, { key_block: true, proof })
    }
  }

  private async walkDown(ranges: readonly SeqnoRange[], signal: AbortSignal): Promise<void> {
    const { db, source } = this.options
    const proved = await findProvedBlock(db)
    const indexed = proved && ranges.find(({ from, to }) => from <= proved.seqno && proved.seqno <= to)
    if (!proved || !indexed) return
    const limits = { maxBlocks: WALKED_AT_ONCE, signal }
    const prove = async (id: BlockId) => (await this.open()).prove(id, signal)
    this.proved = await walkLinks(proved, indexed, limits, { db, source, prove })
    this.options.onProved?.(this.proved)
  }

  private open(): Promise<BlockProver> {
    this.prover ??= this.openProver().catch((error: unknown) => {
      this.prover = undefined
      throw error
    })
    return this.prover
  }

  private async openProver(): Promise<BlockProver> {
    const { db, pool, log, anchors } = this.options
    return new BlockProver({
      pool,
      log,
      anchors: new TrustAnchors([...anchors, ...(await listTrustedKeyBlocks(db))]),
      onKeyBlocks: (ids) => rememberKeyBlocks(db, ids),
    })
  }

  private async conflict(conflict: ChainConflict): Promise<void> {
    const { db, log, onConflict } = this.options
    log.error('stored block differs from the proven one', {
      mc_block_seqno: conflict.stored.seqno,
      stored_root_hash: conflict.stored.rootHash,
      proven_root_hash: conflict.proven.rootHash,
      error: conflict,
    })
    await insertConflict(db, conflict).catch((error) => log.error('evidence could not be stored', { error }))
    onConflict(conflict)
  }
}

/** Throws a conflict that an earlier run found and that has not been repaired. */
export async function refuseKnownConflict(db: Db): Promise<void> {
  for (const { stored, proven } of await listConflicts(db)) {
    const now = (await findMasterchainIds(db, [stored.seqno])).get(stored.seqno)
    if (now && sameBlock(now, stored)) throw new ChainConflict(stored, proven, {})
  }
}
