import {
  ACCOUNT_STATUS,
  type AccountId,
  type AccountStateAfter,
  type DecodedBlock,
  type DecodedTransaction,
  type McBlockSeqno,
} from '@shardwalk/model'
import type { Tables } from '@shardwalk/tables'
import type { CopyBuffer } from './copy-buffer.ts'
import { extraCurrenciesJson } from './message-row.ts'

/** The last transaction of an account in the batch and the resulting state. */
export interface LastOfAccount {
  readonly accountId: AccountId
  readonly block: DecodedBlock
  readonly tx: DecodedTransaction
}

/** Appends the row of an account in `latest_account_states`: its state after the batch. */
export function writeLatestStateRow(
  rows: CopyBuffer<Tables['latest_account_states']>,
  { accountId, block, tx }: LastOfAccount,
  mcBlockSeqno: McBlockSeqno,
): void {
  const state = tx.stateAfter!
  rows.startRow()
  rows.int8('account_id', accountId)
  rows.int8('lt', tx.lt)
  rows.int8('balance', state.balance)
  rows.int4('mc_seqno', mcBlockSeqno)
  rows.int4('timestamp', block.header.genUtime)
  rows.int2('status', ACCOUNT_STATUS.indexOf(state.status))
  rows.bytea('state_hash', tx.stateHashAfter)
  rows.bytea('last_trans_hash', tx.hash)
  rows.bytea('code_hash', state.codeHash)
  rows.bytea('data_hash', state.dataHash)
  rows.bytea('frozen_hash', state.frozenHash)
  rows.jsonb('extra_currencies', currenciesAfterJson(state))
}

/** The currencies of a state, or the hash of their dictionary (hex) when the block does not contain them. */
export const currenciesAfterJson = (
  state: AccountStateAfter | undefined,
): Record<string, string> | string | undefined =>
  state?.extraCurrenciesHash?.toString('hex') ?? extraCurrenciesJson(state?.extraCurrencies)

/** Appends a row of `hidden_currencies`: a dictionary of which the block has only the hash, or parts. */
export function writeHiddenCurrenciesRow(
  rows: CopyBuffer<Tables['hidden_currencies']>,
  { accountId, tx }: LastOfAccount,
  mcBlockSeqno: McBlockSeqno,
): void {
  const { extraCurrenciesHash, extraCurrenciesPart } = tx.stateAfter!
  rows.startRow()
  rows.int8('account_id', accountId)
  rows.int8('lt', tx.lt)
  rows.int4('mc_seqno', mcBlockSeqno)
  rows.bytea('hash', extraCurrenciesHash!)
  rows.bytea('part', extraCurrenciesPart)
}

/** Appends a row of `state_parts`: what the block shows of code and data that it does not have whole. */
export function writeStatePartRow(
  rows: CopyBuffer<Tables['state_parts']>,
  { accountId, tx }: LastOfAccount,
  mcBlockSeqno: McBlockSeqno,
): void {
  rows.startRow()
  rows.int8('account_id', accountId)
  rows.int8('lt', tx.lt)
  rows.int4('mc_seqno', mcBlockSeqno)
  rows.bytea('boc', tx.stateAfter!.parts!)
}

/** Appends a row of `account_data`: data that the block has whole, as a bag of cells. */
export function writeAccountDataRow(
  rows: CopyBuffer<Tables['account_data']>,
  { accountId, tx }: LastOfAccount,
): void {
  const { dataHash, data } = tx.stateAfter!
  rows.startRow()
  rows.int8('account_id', accountId)
  rows.int8('lt', tx.lt)
  rows.bytea('data_hash', dataHash!)
  rows.bytea('boc', data!)
}
