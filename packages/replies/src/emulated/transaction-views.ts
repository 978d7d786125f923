import type { ExtraCurrenciesJson, MessageView, StateRow, TransactionView } from '@shardwalk/api-schema'
import { EMPTY_CELL } from '@shardwalk/cells'
import { MESSAGE_FLAGS } from '@shardwalk/db'
import type { AccountView, EmulatedTransaction } from '@shardwalk/emulation'
import {
  ACCOUNT_STATUS,
  type DecodedMessage,
  type ExtraCurrencies,
  extraCurrencyTexts,
  MESSAGE_KIND,
  SYSTEM_ADDRESS,
  shardPrefixLength,
} from '@shardwalk/model'
import { packDescription } from '@shardwalk/tlb'
import type { AccountNumbers } from '../accounts/account-numbers.ts'

/** Since this version the slot after the value holds flags, not a fee. Source: TON global versions, 12. */
const EXTRA_FLAGS_VERSION = 12
const EMPTY_HASH = EMPTY_CELL.hash()

/** What all transactions of a trace share. */
export interface ViewContext {
  readonly accounts: AccountNumbers
  readonly globalVersion: number
  /** Normalized hash of the message that the trace begins with. */
  readonly externalHash: Buffer
  /** Undefined while its root has not happened. */
  readonly traceId?: Buffer | undefined
}

/** A transaction that is not indexed. */
export interface ExpectedTransaction
  extends Pick<EmulatedTransaction, 'transaction' | 'block' | 'mcBlockSeqno'> {
  readonly before: StateRow
  readonly after: StateRow
  /** It has happened in a block that the masterchain has not committed. */
  readonly isConfirmed?: boolean
}

/** An emulated transaction with its states as rows. */
export const expectedOf = (emulated: EmulatedTransaction): ExpectedTransaction => ({
  ...emulated,
  before: stateRow(emulated.before),
  after: stateRow(emulated.after),
})

/** An emulated transaction in the form that the serialisers of indexed ones take. */
export function transactionView(
  { transaction: t, block, mcBlockSeqno, before, after, isConfirmed }: ExpectedTransaction,
  context: ViewContext,
): TransactionView {
  return {
    row: {
      account_id: context.accounts.idOf(t.account),
      lt: t.lt,
      prev_trans_lt: t.prevTransLt,
      total_fees: t.totalFees,
      now: t.now,
      mc_block_seqno: mcBlockSeqno,
      block_seqno: block.seqno,
      orig_status: ACCOUNT_STATUS.indexOf(t.origStatus),
      shard_len: shardPrefixLength(block.shard),
      hash: t.hash,
      prev_trans_hash: t.prevTransHash,
      state_hash_before: t.stateHashBefore,
      state_hash_after: t.stateHashAfter,
      description: packDescription(t.description),
      total_fees_extra: currencies(t.totalFeesExtraCurrencies),
      ...after,
    },
    account: t.account,
    ...(t.inMsg && { inMsg: messageView(t.inMsg, context) }),
    outMsgs: t.outMsgs.map((message) => messageView(message, context)),
    before,
    traceId: context.traceId,
    traceExternalHash: context.externalHash,
    finality: isConfirmed ? 'confirmed' : 'pending',
  }
}

const stateRow = (view: AccountView): StateRow => ({
  balance_after: view.balance,
  code_hash_after: view.code?.hash() ?? null,
  data_hash_after: view.data?.hash() ?? null,
  frozen_hash_after: view.frozenHash ?? null,
  extra_currencies_after: currencies(view.extraCurrencies),
  end_status: ACCOUNT_STATUS.indexOf(view.status),
})

function messageView(message: DecodedMessage, { accounts, globalVersion }: ViewContext): MessageView {
  const { source, destination, createdLt, ihrFeeOrExtraFlags: slot } = message
  const hasFlags = globalVersion >= EXTRA_FLAGS_VERSION
  return {
    row: {
      account_id: accounts.idOf(source ?? destination ?? SYSTEM_ADDRESS),
      lt: createdLt ?? 0n,
      destination_id: destination ? accounts.idOf(destination) : null,
      value: message.value ?? null,
      fwd_fee: message.fwdFee ?? null,
      ihr_fee: hasFlags ? null : (slot ?? null),
      import_fee: message.importFee ?? null,
      created_at: message.createdAt ?? null,
      opcode: message.opcode === undefined ? null : message.opcode | 0,
      kind: MESSAGE_KIND.indexOf(message.kind),
      flags:
        (message.ihrDisabled ? MESSAGE_FLAGS.ihrDisabled : 0) |
        (message.bounce ? MESSAGE_FLAGS.bounce : 0) |
        (message.bounced ? MESSAGE_FLAGS.bounced : 0),
      hash: message.hash,
      hash_norm: message.hashNorm ?? null,
      body: message.bodyHash.equals(EMPTY_HASH) ? null : message.body,
      init_state: message.initState ?? null,
      value_extra: currencies(message.valueExtraCurrencies),
      extra_flags: hasFlags && slot !== undefined ? String(slot) : null,
    },
    createdLt,
  }
}

function currencies(amounts: ExtraCurrencies | undefined): ExtraCurrenciesJson | null {
  return amounts && amounts.size > 0 ? extraCurrencyTexts(amounts) : null
}
