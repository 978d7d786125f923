import * as z from 'zod'
import { hash, object, wide } from './parts.ts'

// Sent messages and what they would cost.

const Fees = object('Fees', 'fees', { in_fwd_fee: wide, storage_fee: wide, gas_fee: wide, fwd_fee: wide })
/** Nanotons, as JSON numbers. `destination_fees` is always empty, as at TON Center. */
export const QueryFees = object('QueryFees', 'query.fees', {
  source_fees: Fees,
  destination_fees: z.array(Fees),
})
/** Hash of the message as sent, and of its canonical form (TEP-467). */
export const ExtMessageInfo = object('ExtMessageInfo', 'raw.extMessageInfo', { hash, hash_norm: hash })
