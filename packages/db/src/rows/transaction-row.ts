import {
  ACCOUNT_STATUS,
  type AccountId,
  type DecodedBlock,
  type DecodedTransaction,
  type McBlockSeqno,
  NO_ACCOUNT_HASH,
  NO_TRANSACTION_HASH,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import type { Tables } from '@shardwalk/tables'
import { packDescription } from '@shardwalk/tlb'
import type { PieceId } from '@shardwalk/traces'
import type { CopyBuffer } from './copy-buffer.ts'
import { extraCurrenciesJson, type MessageKey } from './message-row.ts'
import { currenciesAfterJson } from './state-rows.ts'

/** Where a transaction stands. */
export interface TransactionContext {
  readonly block: DecodedBlock
  readonly mcBlockSeqno: McBlockSeqno
  /** Prefix length of the block's shard, bits. */
  readonly shardLength: number
  readonly accountId: AccountId
  readonly piece: PieceId
  /** The account's transaction before, if it is in the same piece. */
  readonly previous: DecodedTransaction | undefined
  /** Undefined when there is no in message. `accountId` is undefined when no transaction sent it. */
  readonly inMsg?: { readonly accountId?: AccountId; readonly lt: MessageKey['lt'] }
}

/** Appends a row of `transactions`. Throws RangeError for an amount beyond 64 bits and a time beyond 31. */
export function writeTransactionRow(
  rows: CopyBuffer<Tables['transactions']>,
  tx: DecodedTransaction,
  at: TransactionContext,
): void {
  const { computePhase, actionPhase, aborted, kind } = tx.description
  const compute = computePhase && !computePhase.skipped ? computePhase : undefined
  const after = tx.stateAfter
  rows.startRow()
  rows.int8('account_id', at.accountId)
  rows.int8('lt', tx.lt)
  rows.int8('piece', at.piece)
  rows.int8('prev_trans_lt', tx.prevTransLt)
  rows.int8('total_fees', tx.totalFees)
  rows.int8('in_msg_account_id', at.inMsg?.accountId)
  rows.int8('in_msg_lt', at.inMsg?.lt)
  rows.int8('balance_after', after?.balance)
  rows.int8('gas_used', compute?.gasUsed)
  rows.uint31('now', tx.now)
  rows.int4('mc_block_seqno', at.mcBlockSeqno)
  rows.int4('block_seqno', at.block.id.seqno)
  rows.int4('exit_code', compute?.exitCode)
  rows.int4('action_result_code', actionPhase?.resultCode)
  rows.int2('kind', TRANSACTION_KIND.indexOf(kind))
  rows.int2('orig_status', ACCOUNT_STATUS.indexOf(tx.origStatus))
  rows.int2('end_status', ACCOUNT_STATUS.indexOf(tx.endStatus))
  rows.int2('shard_len', at.shardLength)
  rows.int2('out_msg_count', tx.outMsgs.length)
  rows.bool('aborted', aborted)
  rows.bytea('hash', tx.hash)
  writeHashesBefore(rows, tx, at.previous)
  rows.bytea('state_hash_after', tx.stateHashAfter)
  rows.bytea('code_hash_after', after?.codeHash)
  rows.bytea('data_hash_after', after?.dataHash)
  rows.bytea('frozen_hash_after', after?.frozenHash)
  rows.bytea('description', packDescription(tx.description))
  rows.jsonb('total_fees_extra', extraCurrenciesJson(tx.totalFeesExtraCurrencies))
  rows.jsonb('extra_currencies_after', currenciesAfterJson(after))
  rows.numeric('jetton_balance', after?.jettonBalance)
}

/**
 * Null where another row of the same piece has the same hash, or the constant that stands for none. What
 * removes rows removes whole pieces, so the other row is there as long as this one.
 */
function writeHashesBefore(
  rows: CopyBuffer<Tables['transactions']>,
  tx: DecodedTransaction,
  previous: DecodedTransaction | undefined,
): void {
  const { prevTransHash, stateHashBefore } = tx
  const isLinked =
    previous?.lt === tx.prevTransLt &&
    previous.hash.equals(prevTransHash) &&
    previous.stateHashAfter.equals(stateHashBefore)
  const isFirst = tx.prevTransLt === 0n && prevTransHash.equals(NO_TRANSACTION_HASH)
  rows.bytea('prev_trans_hash', isLinked || isFirst ? undefined : prevTransHash)
  rows.bytea(
    'state_hash_before',
    isLinked || stateHashBefore.equals(NO_ACCOUNT_HASH) ? undefined : stateHashBefore,
  )
}
