import type { AccountId, Lt } from '@shardwalk/model'
import { bool, bytea, int4, int8, numeric } from './define-table.ts'

/** TEP-64 attributes by name. */
export type ContentJson = Readonly<Record<string, string>>

/** Leading columns of every role table. */
export const ROLE_KEY = {
  account_id: int8<AccountId>('The contract.'),
  lt: int8<Lt>("lt of the account's last transaction in the state that the row describes."),
  code_hash: bytea('Hash of the code in that state.').orNull(),
  data_hash: bytea('Hash of the data in that state.').orNull(),
}

/**
 * For lists without an order of their own. It depends on when this database first wrote the row: no other
 * column of these tables depends on anything but the chain.
 */
export const ROW_NUMBER = {
  row_no: int8('Order in which rows were first written; never changes.').generated(),
}

/** Columns that every table of token events has. */
export const EVENT_KEY = {
  account_id: int8<AccountId>('Account of the transaction.'),
  lt: int8<Lt>('lt of the transaction.'),
  now: int4('Time of the transaction, Unix seconds.'),
  aborted: bool('The transaction was aborted.'),
  confirmed: bool(
    'The account is a wallet or an item as of its newest state, or was one in its last active state; only ' +
      'these are listed.',
  ).withDefault(),
  query_id: numeric('`query_id` of the message.'),
  response_id: int8<AccountId>('Recipient of the excess value; null: none.').orNull(),
  custom_payload: bytea('`custom_payload` as a bag of cells.').orNull(),
  forward_payload: bytea('`forward_payload` as a bag of cells.').orNull(),
}
