import type { DecodedMessage, DecodedTransaction } from '@shardwalk/model'
import { digest, syntheticAddress, syntheticBlock, type VersionedBatch } from './synthetic-chain.ts'

const LT_STEP = 1_000_000n
const EMPTY_BODY = Buffer.from('b5ee9c72010101010002000000', 'hex')
const CALLER = syntheticAddress(0x1234_5678_9abc_def0n, 1)

/** Message that the nth transaction receives; the first one comes from outside. */
function messageTo(nth: number): DecodedMessage {
  const common = {
    hash: digest(`endless message ${nth}`),
    destination: CALLER,
    bodyHash: digest('endless body'),
    body: EMPTY_BODY,
  }
  if (nth === 1) return { ...common, kind: 'external_in', importFee: 0n }
  return {
    ...common,
    kind: 'internal',
    source: CALLER,
    value: 1n,
    fwdFee: 1n,
    ihrFeeOrExtraFlags: 0n,
    createdLt: BigInt(nth - 1) * LT_STEP + 11n,
    createdAt: 1_700_000_000,
    ihrDisabled: true,
    bounce: true,
    bounced: false,
  }
}

/** The transaction before the first one is the account's deployment. */
const hashOf = (nth: number): Buffer => digest(`endless transaction ${nth}`)
const stateOf = (nth: number): Buffer => digest(`endless state ${nth}`)

function transaction(nth: number): DecodedTransaction {
  return {
    account: CALLER,
    hash: hashOf(nth),
    lt: BigInt(nth) * LT_STEP + 10n,
    prevTransHash: hashOf(nth - 1),
    prevTransLt: BigInt(nth - 1) * LT_STEP + 10n,
    now: 1_700_000_000 + nth,
    origStatus: 'active',
    endStatus: 'active',
    totalFees: 1n,
    stateHashBefore: stateOf(nth - 1),
    stateHashAfter: stateOf(nth),
    description: { kind: 'ord', aborted: false, creditFirst: true, destroyed: false },
    inMsg: messageTo(nth),
    outMsgs: [messageTo(nth + 1)],
    stateAfter: { status: 'active', balance: 1_000_000_000n },
  }
}

/**
 * Batch of the nth masterchain block, from 1, of a chain in which a contract calls itself for ever, once per
 * block: one trace.
 */
export function endlessTraceBatch(nth: number): VersionedBatch {
  const startLt = BigInt(nth) * LT_STEP
  const shard = syntheticBlock(0, nth, startLt, [transaction(nth)])
  const top = { ...shard.id, ...shard.header, regMcSeqno: nth, beforeMerge: false, nextCatchainSeqno: 1 }
  const masterchain = { ...syntheticBlock(-1, nth, startLt, []), shardTops: [top] }
  return { globalVersion: 11, batch: { masterchain, shards: [shard] } }
}
