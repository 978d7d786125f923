import type { GeneratedAlways } from 'kysely'
import type { CurrenciesAfterColumn, ExtraCurrenciesColumn } from './transactions.ts'

/** Newest known state per account, guarded by lt. Key: account_id. */
export interface LatestAccountStatesTable {
  account_id: bigint
  /** Of the account's last transaction. */
  lt: bigint
  /** Nanotons. */
  balance: bigint
  /** Digits of the balance times 100 plus the two leading ones: in the order of balances. Made by the database. */
  balance_rank: GeneratedAlways<number>
  mc_seqno: number
  /** gen_utime of the block, Unix seconds. */
  timestamp: number
  /** Index into `ACCOUNT_STATUS`. */
  status: number
  state_hash: Buffer
  last_trans_hash: Buffer
  code_hash: Buffer | null
  data_hash: Buffer | null
  frozen_hash: Buffer | null
  extra_currencies: CurrenciesAfterColumn
}

/** Contract code, once per hash. Key: code_hash. */
export interface CodesTable {
  code_hash: Buffer
  /** Bag of cells. */
  boc: Buffer
}

/** Data trees with pruned branches, newer than the newest complete one. Key: (account_id, lt). */
export interface StatePartsTable {
  account_id: bigint
  lt: bigint
  mc_seqno: number
  /** Bag of cells. */
  boc: Buffer
}

/** Extra currencies of states whose blocks do not show them, until they are found. Key: (account_id, lt). */
export interface HiddenCurrenciesTable {
  account_id: bigint
  lt: bigint
  mc_seqno: number
  /** Root of the dictionary. */
  hash: Buffer
  /** Bag of cells with pruned branches: what the block shows of it. */
  part: Buffer | null
  /** What an earlier state held that is overwritten. */
  before: ExtraCurrenciesColumn
  /** Looked for in vain so often; null: never. */
  tries: number | null
  /** Not to be looked for before; null: now. */
  not_before: Date | null
}

/** Newest complete data cell per account, guarded by lt. Key: account_id. */
export interface AccountDataTable {
  account_id: bigint
  lt: bigint
  data_hash: Buffer
  /** Bag of cells. */
  boc: Buffer
}
