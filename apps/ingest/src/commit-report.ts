import type { ChainProver } from '@shardwalk/chain-prover'
import type { ContractRefresher } from '@shardwalk/contract-indexer'
import { formatBlockId, formatRawAddress } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import type { DecodedBatch } from '@shardwalk/pipeline'
import type { HeadFollower } from './head-follower.ts'
import type { IngestMetrics } from './metrics.ts'
import type { IngestState } from './state.ts'

export interface CommitReportOptions {
  readonly state: IngestState
  readonly metrics: IngestMetrics
  readonly log: Logger
  readonly prover: ChainProver | undefined
  readonly contracts: ContractRefresher | undefined
  readonly follower: Pick<HeadFollower, 'wake'>
}

/** Within this many masterchain blocks of the head, accounts are examined at once. */
const NEAR_HEAD = 16

/** Notifies every part that depends on commits. */
export class CommitReport {
  constructor(private readonly options: CommitReportOptions) {}

  committed(batches: readonly DecodedBatch[], durationMs: number): void {
    const { state, metrics, log, prover, contracts, follower } = this.options
    const seqnos = batches.map((batch) => batch.mcBlockSeqno)
    const blocks = batches.reduce((sum, batch) => sum + batch.blocks, 0)
    const transactions = batches.reduce((sum, batch) => sum + batch.transactions, 0)
    state.indexed({ seqnos, blocks, transactions })
    if (Math.max(...seqnos) > state.head - NEAR_HEAD) contracts?.wake()
    metrics.committed({ seqnos: seqnos.length, blocks, transactions, durationMs })
    metrics.head(state.head, state.newestIndexed)
    prover?.committed(batches)
    follower.wake()
    log.debug('batches committed', {
      mc_block_seqno: seqnos.at(-1),
      masterchain_blocks: seqnos.length,
      blocks,
      transactions,
      duration_ms: Math.round(durationMs),
    })
    for (const batch of batches) reportQuarantine(batch, log)
  }
}

function reportQuarantine(batch: DecodedBatch, log: Logger): void {
  const { mcBlockSeqno, undecodable, unread, encoded, raw } = batch
  if (encoded && raw.globalVersion === undefined)
    log.error('global version put into quarantine', {
      mc_block_seqno: mcBlockSeqno,
      reason: 'the key block before cannot be decoded',
    })
  for (const { id, error } of undecodable)
    log.error('block put into quarantine', { mc_block_seqno: mcBlockSeqno, block: id, reason: error })
  for (const { block, part } of unread)
    log.error(`${part.kind} put into quarantine`, {
      mc_block_seqno: mcBlockSeqno,
      block: formatBlockId(block),
      account: formatRawAddress(part.account),
      lt: String(part.lt),
      reason: part.reason,
    })
}
