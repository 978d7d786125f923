import type { DecodedMessage, DecodedTransaction, RawAddress } from '@shardwalk/model'
import { digest, syntheticAddress, syntheticBlock, type VersionedBatch } from './synthetic-chain.ts'

const LT_STEP = 1_000_000n
const EMPTY_BODY = Buffer.from('b5ee9c72010101010002000000', 'hex')

export interface EndlessTrace {
  /** Contracts that call each other in turn. Default 1. */
  readonly callers?: number
  /** Transactions of a block. Default 1. */
  readonly each?: number
}

/** The nth of the contracts, from 0. */
export const callerOf = (nth: number): RawAddress =>
  syntheticAddress(0x1234_5678_9abc_def0n + (BigInt(nth) << 32n), 1)

class Calls {
  constructor(
    private readonly callers: number,
    private readonly each: number,
  ) {}

  private lt(nth: number): bigint {
    const block = Math.ceil(nth / this.each)
    return BigInt(block) * LT_STEP + 10n * BigInt(nth - (block - 1) * this.each)
  }

  private caller(nth: number): RawAddress {
    return callerOf((nth - 1 + this.callers) % this.callers)
  }

  /** Message that the nth transaction receives; the first one comes from outside. */
  private messageTo(nth: number): DecodedMessage {
    const common = {
      hash: digest(`endless message ${nth}`),
      destination: this.caller(nth),
      bodyHash: digest('endless body'),
      body: EMPTY_BODY,
    }
    if (nth === 1) return { ...common, kind: 'external_in', importFee: 0n }
    return {
      ...common,
      kind: 'internal',
      source: this.caller(nth - 1),
      value: 1n,
      fwdFee: 1n,
      ihrFeeOrExtraFlags: 0n,
      createdLt: this.lt(nth - 1) + 1n,
      createdAt: 1_700_000_000,
      ihrDisabled: true,
      bounce: true,
      bounced: false,
    }
  }

  transaction(nth: number): DecodedTransaction {
    const before = nth - this.callers
    return {
      account: this.caller(nth),
      hash: hashOf(nth),
      lt: this.lt(nth),
      prevTransHash: hashOf(before),
      prevTransLt: before > 0 ? this.lt(before) : 10n,
      now: 1_700_000_000 + Math.ceil(nth / this.each),
      origStatus: 'active',
      endStatus: 'active',
      totalFees: 1n,
      stateHashBefore: stateOf(before),
      stateHashAfter: stateOf(nth),
      description: { kind: 'ord', aborted: false, creditFirst: true, destroyed: false },
      inMsg: this.messageTo(nth),
      outMsgs: [this.messageTo(nth + 1)],
      stateAfter: { status: 'active', balance: 1_000_000_000n },
    }
  }
}

/** The transaction before the first one of an account is its deployment. */
const hashOf = (nth: number): Buffer => digest(`endless transaction ${nth}`)
const stateOf = (nth: number): Buffer => digest(`endless state ${nth}`)

/**
 * Batch of the nth masterchain block, from 1, of a chain in which a contract calls itself, or several each
 * other, for ever: one trace.
 */
export function endlessTraceBatch(nth: number, { callers = 1, each = 1 }: EndlessTrace = {}): VersionedBatch {
  const startLt = BigInt(nth) * LT_STEP
  const calls = new Calls(callers, each)
  const transactions = Array.from({ length: each }, (_, i) => calls.transaction((nth - 1) * each + i + 1))
  const shard = syntheticBlock(0, nth, startLt, transactions)
  const top = { ...shard.id, ...shard.header, regMcSeqno: nth, beforeMerge: false, nextCatchainSeqno: 1 }
  const masterchain = { ...syntheticBlock(-1, nth, startLt, []), shardTops: [top] }
  return { globalVersion: 11, batch: { masterchain, shards: [shard] } }
}
