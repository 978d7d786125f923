import {
  ACCOUNT_STATUS,
  type AccountId,
  type AccountStateAfter,
  type DecodedBlock,
  type DecodedTransaction,
} from '@shardwalk/model'
import type { CopyBuffer } from './copy-buffer.ts'
import { extraCurrenciesJson } from './message-row.ts'

/** The last transaction of an account in the batch, with the state it left. */
export interface LastOfAccount {
  readonly accountId: AccountId
  readonly block: DecodedBlock
  readonly tx: DecodedTransaction
}

export function writeLatestStateRow(
  rows: CopyBuffer,
  { accountId, block, tx }: LastOfAccount,
  mcBlockSeqno: number,
): void {
  const state = tx.stateAfter!
  rows.startRow()
  rows.int8(accountId)
  rows.int8(tx.lt)
  rows.int8(state.balance)
  rows.int4(mcBlockSeqno)
  rows.int4(block.header.genUtime)
  rows.int2(ACCOUNT_STATUS.indexOf(state.status))
  rows.bytea(tx.stateHashAfter)
  rows.bytea(tx.hash)
  rows.bytea(state.codeHash)
  rows.bytea(state.dataHash)
  rows.bytea(state.frozenHash)
  rows.jsonb(currenciesAfterJson(state))
}

/** The currencies that a state holds, or the hash of their dictionary (hex) where the block does not show them. */
export const currenciesAfterJson = (
  state: AccountStateAfter | undefined,
): Record<string, string> | string | undefined =>
  state?.extraCurrenciesHash?.toString('hex') ?? extraCurrenciesJson(state?.extraCurrencies)

export function writeHiddenCurrenciesRow(
  rows: CopyBuffer,
  { accountId, tx }: LastOfAccount,
  mcBlockSeqno: number,
): void {
  const { extraCurrenciesHash, extraCurrenciesPart } = tx.stateAfter!
  rows.startRow()
  rows.int8(accountId)
  rows.int8(tx.lt)
  rows.int4(mcBlockSeqno)
  rows.bytea(extraCurrenciesHash)
  rows.bytea(extraCurrenciesPart)
}

export function writeStatePartRow(
  rows: CopyBuffer,
  { accountId, tx }: LastOfAccount,
  mcBlockSeqno: number,
): void {
  rows.startRow()
  rows.int8(accountId)
  rows.int8(tx.lt)
  rows.int4(mcBlockSeqno)
  rows.bytea(tx.stateAfter!.parts)
}

export function writeAccountDataRow(rows: CopyBuffer, { accountId, tx }: LastOfAccount): void {
  const { dataHash, data } = tx.stateAfter!
  rows.startRow()
  rows.int8(accountId)
  rows.int8(tx.lt)
  rows.bytea(dataHash)
  rows.bytea(data)
}
