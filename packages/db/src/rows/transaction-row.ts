import {
  ACCOUNT_STATUS,
  type AccountId,
  type DecodedBlock,
  type DecodedTransaction,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import { packDescription } from '@shardwalk/tlb'
import type { CopyBuffer } from './copy-buffer.ts'
import { extraCurrenciesJson, type MessageKey } from './message-row.ts'
import { currenciesAfterJson } from './state-rows.ts'

export interface TransactionContext {
  readonly block: DecodedBlock
  readonly mcBlockSeqno: number
  /** Prefix length of the block's shard. */
  readonly shardLength: number
  readonly accountId: AccountId
  readonly traceId: Buffer
  /** Undefined: no in message. `accountId` is undefined when no transaction sent it. */
  readonly inMsg?: { readonly accountId?: AccountId; readonly lt: MessageKey['lt'] }
}

/** Returns where in the buffer the 32 bytes of the trace id lie. */
export function writeTransactionRow(
  rows: CopyBuffer,
  tx: DecodedTransaction,
  at: TransactionContext,
): number {
  const { computePhase, actionPhase, aborted, kind } = tx.description
  const compute = computePhase && !computePhase.skipped ? computePhase : undefined
  const after = tx.stateAfter
  rows.startRow()
  rows.int8(at.accountId)
  rows.int8(tx.lt)
  rows.int8(tx.prevTransLt)
  rows.int8(tx.totalFees)
  rows.int8(at.inMsg?.accountId)
  rows.int8(at.inMsg?.lt)
  rows.int8(after?.balance)
  rows.int8(compute?.gasUsed)
  rows.int4(tx.now)
  rows.int4(at.mcBlockSeqno)
  rows.int4(at.block.id.seqno)
  rows.int4(compute?.exitCode)
  rows.int4(actionPhase?.resultCode)
  rows.int2(TRANSACTION_KIND.indexOf(kind))
  rows.int2(ACCOUNT_STATUS.indexOf(tx.origStatus))
  rows.int2(ACCOUNT_STATUS.indexOf(tx.endStatus))
  rows.int2(at.shardLength)
  rows.int2(tx.outMsgs.length)
  rows.bool(aborted)
  rows.bytea(tx.hash)
  rows.bytea(at.traceId)
  const traceIdPosition = rows.size - at.traceId.length
  rows.bytea(tx.prevTransHash)
  rows.bytea(tx.stateHashBefore)
  rows.bytea(tx.stateHashAfter)
  rows.bytea(after?.codeHash)
  rows.bytea(after?.dataHash)
  rows.bytea(after?.frozenHash)
  rows.bytea(packDescription(tx.description))
  rows.jsonb(extraCurrenciesJson(tx.totalFeesExtraCurrencies))
  rows.jsonb(currenciesAfterJson(after))
  return traceIdPosition
}
