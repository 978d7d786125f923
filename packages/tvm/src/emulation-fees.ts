import type { DecodedTransaction } from '@shardwalk/model'

/** Fees that a message costs its destination account, in nanotons. */
export interface MessageFees {
  /** Fee for importing the message; external messages only. */
  readonly inFwdFee: bigint
  /** Storage fee since the last payment, plus debt. */
  readonly storageFee: bigint
  readonly gasFee: bigint
  /** Fees for the messages sent by the run. */
  readonly fwdFee: bigint
}

/**
 * Fees of an ordinary transaction caused by an external message, emulated or real. The import fee is not
 * recorded; it is the part of the total that is not storage, gas or action fees.
 * Source: node, crypto/block/transaction.cpp, `Transaction::total_fees`.
 */
export function messageFees({ totalFees, description }: DecodedTransaction): MessageFees {
  const { storagePhase, computePhase, actionPhase } = description
  const collected = storagePhase?.storageFeesCollected ?? 0n
  const gasFee = computePhase && !computePhase.skipped ? computePhase.gasFees : 0n
  return {
    inFwdFee: totalFees - collected - gasFee - (actionPhase?.totalActionFees ?? 0n),
    storageFee: collected + (storagePhase?.storageFeesDue ?? 0n),
    gasFee,
    fwdFee: actionPhase?.totalFwdFees ?? 0n,
  }
}
