import * as z from 'zod'
import { needed, optional } from '../parameters.ts'
import { addressKind, booleanKind } from '../value-kinds.ts'
import { boc, digits, hash, int, longInt, status } from './replies.ts'

// The endpoints of API v3 that are answered from lite servers.

/** An empty address counts as missing, which has its own status, 401. */
const account = needed(optional({ ...addressKind, emptyIsAbsent: true }, 'The account.'))

/** `/addressInformation` and `/walletInformation`. */
export const AccountInformationQuery = z.object({
  address: account,
  use_v2: optional(
    booleanKind,
    'Whether `status` is spelled as in API v2: `uninitialized` instead of `uninit`.',
  ),
})
export type AccountInformationQuery = z.output<typeof AccountInformationQuery>

/** Parameters that wallets send but that have no effect. */
export const IGNORED_BY_LEGACY = ['include_boc', 'seqno'] as const

/** Of API v3, or with `use_v2` of API v2. */
const statusOfEither = z.union([status, z.literal('uninitialized')])
/** As in the states of accounts. */
const suspension = { suspended: z.literal(true).optional() }
const lastTransaction = { last_transaction_lt: digits, last_transaction_hash: hash }

const AddressInformation = z
  .strictObject({
    balance: digits,
    code: boc.nullable(),
    data: boc.nullable(),
    ...lastTransaction,
    frozen_hash: hash.nullable(),
    status: statusOfEither,
    ...suspension,
  })
  .meta({ id: 'V2AddressInformation' })

const WalletInformation = z
  .strictObject({
    balance: digits,
    wallet_type: z.string().optional(),
    seqno: int.optional(),
    wallet_id: longInt.optional(),
    ...lastTransaction,
    status: statusOfEither,
    ...suspension,
  })
  .meta({ id: 'V2WalletInformation' })

const base64 = z.string().meta({ description: 'bag of cells, base64' })

const SentMessage = z
  .strictObject({ message_hash: hash, message_hash_norm: hash.optional() })
  .meta({ id: 'V2SendMessageResult' })

const fee = z
  .strictObject({ in_fwd_fee: int, storage_fee: int, gas_fee: int, fwd_fee: int })
  .meta({ id: 'V2EstimatedFee' })
const Fees = z
  .strictObject({ source_fees: fee, destination_fees: z.array(fee) })
  .meta({ id: 'V2EstimateFeeResult' })

const StackEntry = z.looseObject({ type: z.string(), value: z.unknown() }).meta({ id: 'V2StackEntity' })
const GetMethodResult = z
  .strictObject({ gas_used: int, exit_code: int, stack: z.array(StackEntry) })
  .meta({ id: 'V2RunGetMethodResult' })

/** Complete replies by name. Amounts and lt are decimal strings, fees JSON numbers of nanotons. */
export const legacyReplies = { AddressInformation, WalletInformation, SentMessage, Fees, GetMethodResult }

/** Bodies of the POST endpoints, for documentation. They are parsed like those of API v2. */
export const legacyBodies = {
  message: z
    .object({ boc: base64.meta({ description: 'External message as a bag of cells, base64.' }) })
    .meta({ id: 'V2SendMessageRequest' }),
  estimateFee: z
    .object({
      address: z.string().meta({ description: 'Destination of the message, in any form.' }),
      body: base64.meta({ description: 'Body of the message as a bag of cells, base64.' }),
      init_code: base64.optional(),
      init_data: base64.optional(),
      ignore_chksig: z
        .boolean()
        .optional()
        .meta({ description: 'Whether to treat every signature as valid. Default false.' }),
    })
    .meta({ id: 'V2EstimateFeeRequest' }),
  runGetMethod: z
    .object({
      address: z.string().meta({ description: 'The contract, in any form.' }),
      method: z.string().meta({ description: 'Name of the get-method.' }),
      stack: z
        .array(z.object({ type: z.enum(['num', 'cell', 'slice']), value: z.union([z.string(), z.int()]) }))
        .optional()
        .meta({ description: 'Arguments in order. Only a `num` may be a JSON integer.' }),
    })
    .meta({ id: 'V2RunGetMethodRequest' }),
  decode: z
    .object({
      opcodes: z
        .array(z.string())
        .optional()
        .meta({ description: 'Opcodes: `0x` and hex digits, or a decimal number.' }),
      bodies: z
        .array(z.string())
        .optional()
        .meta({ description: 'Bodies as bags of cells: base64, or hex.' }),
    })
    .meta({ id: 'DecodeRequest' }),
}
