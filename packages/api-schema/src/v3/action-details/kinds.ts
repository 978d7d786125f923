import * as z from 'zod'
import { boc, digits as decimal, int as integer, address as rawAddress } from '../replies.ts'

// Values in details of actions; null: not known.

export const address = rawAddress.nullable()
/** Decimal string: amounts in the smallest unit, query ids. */
export const digits = decimal.nullable()
export const int = integer.nullable()
export const bool = z.boolean().nullable()
export const text = z.string().nullable()
/** A bag of cells in base64. */
export const cell = boc.nullable()
/** Printed as a JSON number of any size. */
export const wide = z.number().nullable()

// Members that many types have.

/** Sender and receiver. */
export const ends = { source: address, destination: address }
/** In nanotons, or in the smallest unit of the asset. */
export const sum = { amount: digits }
/** `query_id` of the message that asked for the action. */
export const query = { query_id: digits }
/** A sum of a jetton, and the wallet of the sender that paid it; TON has neither asset nor wallet. */
export const viaWallet = { source: address, source_jetton_wallet: address, asset: address, amount: digits }
