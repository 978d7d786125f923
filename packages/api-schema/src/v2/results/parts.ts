import * as z from 'zod'

// What results of several methods are made of.

export const text = z.string()
/** 32 bytes in base64. */
export const hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/)
/** A hash, or the empty string if there is none. */
export const hashOrEmpty = z.string().regex(/^([A-Za-z0-9+/]{43}=)?$/)
/** Base64. */
export const bytes = z.string()
/** A decimal string: amounts, lt, and shard ids as signed numbers. */
export const digits = z.string().regex(/^-?\d+$/)
export const int = z.int()
/** Printed as a JSON number of any size. */
export const wide = z.number()

/** An object of tonlib. */
export const object = <Shape extends z.ZodRawShape>(id: string, type: string, shape: Shape) =>
  z.strictObject({ '@type': z.literal(type), ...shape }).meta({ id })

export const BlockId = object('TonBlockIdExt', 'ton.blockIdExt', {
  workchain: int,
  shard: digits,
  seqno: int,
  root_hash: hash,
  file_hash: hash,
})
/** `lt` 0: no transaction. */
export const TransactionId = object('InternalTransactionId', 'internal.transactionId', { lt: digits, hash })
/** User-friendly. */
export const AccountAddress = object('AccountAddress', 'accountAddress', { account_address: text })
/** `id`: key of the dictionary in block.tlb `ExtraCurrencyCollection`. */
export const ExtraCurrency = object('ExtraCurrencyBalance', 'extraCurrency', { id: int, amount: digits })
/** A bag of cells in base64. */
export const Cell = object('TvmCell', 'tvm.cell', { bytes })
