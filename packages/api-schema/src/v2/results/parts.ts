import * as z from 'zod'

// What results of several methods are made of.

export const text = z.string()
export const hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/)
export const hashOrEmpty = z.string().regex(/^([A-Za-z0-9+/]{43}=)?$/)
export const bytes = z.string()
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
export const TransactionId = object('InternalTransactionId', 'internal.transactionId', { lt: digits, hash })
export const AccountAddress = object('AccountAddress', 'accountAddress', { account_address: text })
export const ExtraCurrency = object('ExtraCurrencyBalance', 'extraCurrency', { id: int, amount: digits })
export const Cell = object('TvmCell', 'tvm.cell', { bytes })
