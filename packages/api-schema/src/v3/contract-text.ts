import { decodeBody } from '@shardwalk/contracts'
import type { AccountId } from '@shardwalk/model'
import type { TokenEventView } from './contract-rows.ts'
import { bocText } from './message.ts'

/** Raw form of an account's address; every id of the rows is known. */
export type AddressOf = (id: AccountId) => string

/** Both forms of an address column. */
export const addresses = (addressOf: AddressOf) => ({
  text: addressOf,
  textOrNull: (id: AccountId | null): string | null => (id === null ? null : addressOf(id)),
})

/** Standard base64 with padding. */
export const hashText = (bytes: Buffer): string => bytes.toString('base64')
/** `hashText` of a nullable column. */
export const hashOrNull = (bytes: Buffer | null): string | null => bytes && hashText(bytes)

/** A bag of cells and its decoded contents. */
export const payload = (boc: Buffer | null): string | null => boc && bocText(boc)
/** The named fields of a body; null if there is no body or its layout is not known. */
export const decodedPayload = (boc: Buffer | null) => boc && decodeBody({ body: boc })

/** Columns of the transaction of a token event. */
export const transactionOf = (row: TokenEventView) => ({
  transaction_hash: hashText(row.hash),
  transaction_lt: String(row.lt),
  transaction_now: row.now,
  transaction_aborted: row.aborted,
})
