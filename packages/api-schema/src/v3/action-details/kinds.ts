import * as z from 'zod'
import { boc, digits as decimal, int as integer, address as rawAddress } from '../replies.ts'

// Values in details of actions; null: not known.

export const address = rawAddress.nullable()
export const digits = decimal.nullable()
export const int = integer.nullable()
export const bool = z.boolean().nullable()
export const text = z.string().nullable()
export const cell = boc.nullable()
/** Printed as a JSON number of any size. */
export const wide = z.number().nullable()

// Members that many types have.

export const ends = { source: address, destination: address }
export const sum = { amount: digits }
export const query = { query_id: digits }
export const viaWallet = { source: address, source_jetton_wallet: address, asset: address, amount: digits }
