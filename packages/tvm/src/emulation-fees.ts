import type { DecodedTransaction } from '@shardwalk/model'

/** What a message costs the account that it is sent to. Nanotons. */
export interface MessageFees {
  /** For bringing the message in; external messages only. */
  readonly inFwdFee: bigint
  /** Storage since the account paid last, and what it owes. */
  readonly storageFee: bigint
  readonly gasFee: bigint
  /** For the messages that the run sends. */
  readonly fwdFee: bigint
}

/**
 * Fees of an ordinary transaction that an external message makes, emulated or real. The import fee stands nowhere by itself: it is what the total holds
 * beside storage, gas and actions. Source: node, `crypto/block/transaction.cpp`, `Transaction::total_fees`.
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
