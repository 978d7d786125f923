import { z } from 'zod'
import { listOf, optional } from '../parameters.ts'
import { addressKind, booleanKind, hashKind, type ValueKind } from '../value-kinds.ts'
import { page } from './queries.ts'

export const MAX_ACCOUNTS = 1000
const MAX_BOOK = 1024
const MAX_DECODED = 1000

/** Any text. */
export const textKind: ValueKind<string> = {
  noun: 'a text',
  accepts: 'any text',
  parse: (value) => ({ value }),
  schema: { type: 'string' },
}

/** A text that stored ones are compared with: PostgreSQL has none with a NUL character. */
export const storedTextKind: ValueKind<string> = {
  ...textKind,
  accepts: 'any text without NUL characters',
  parse: (value) => (value.includes('\0') ? { problem: 'contains invalid characters' } : { value }),
}

type Lists = Readonly<Record<string, unknown>>

/** Refuses a query that names none of the parameters. */
export const needsOneOf =
  (names: readonly string[], message: string) =>
  (query: Lists, ctx: z.core.$RefinementCtx): void => {
    if (names.every((name) => query[name] === undefined)) ctx.addIssue({ code: 'custom', message })
  }

export const AccountStatesQuery = z
  .object({
    address: listOf(addressKind, MAX_ACCOUNTS, 'Accounts; those never seen are left out of the reply.'),
    code_hash: listOf(hashKind, MAX_ACCOUNTS, 'Only accounts with this code.'),
    include_boc: optional(booleanKind, 'False leaves out `code_boc` and `data_boc`; default true.'),
  })
  .superRefine(needsOneOf(['address', 'code_hash'], 'address of account is required'))

export const WalletStatesQuery = z
  .object({
    address: listOf(addressKind, MAX_ACCOUNTS, 'Accounts; those never seen are left out of the reply.'),
  })
  .superRefine(needsOneOf(['address'], 'address of account is required'))

export const AddressBookQuery = z
  .object({
    address: listOf(textKind, MAX_BOOK, 'Addresses in any form; the keys of the reply are these texts.'),
  })
  .superRefine(needsOneOf(['address'], 'at least 1 address required'))

export const MetadataQuery = z
  .object({
    address: listOf(textKind, MAX_BOOK, 'Addresses in any form; those without token data are left out.'),
  })
  .superRefine(needsOneOf(['address'], 'at least 1 address required'))

export const TopAccountsQuery = z.object({ ...page })

/** Far beyond the real limit, which has an error text of its own. */
const UNLIMITED = 1_000_000

export const DecodeQuery = z
  .object({
    opcodes: listOf(textKind, UNLIMITED, 'Opcodes: `0x` and hex digits, hex digits, or a decimal number.', {
      commas: false,
    }),
    bodies: listOf(textKind, UNLIMITED, 'Bodies as bags of cells: base64, or hex.', { commas: false }),
  })
  .superRefine((query, ctx) => {
    for (const name of ['opcodes', 'bodies'] as const)
      if ((query[name]?.length ?? 0) > MAX_DECODED)
        ctx.addIssue({ code: 'custom', message: `${name} list exceeds maximum length of ${MAX_DECODED}` })
  })

export type AccountStatesQuery = z.output<typeof AccountStatesQuery>
export type WalletStatesQuery = z.output<typeof WalletStatesQuery>
export type AddressBookQuery = z.output<typeof AddressBookQuery>
export type MetadataQuery = z.output<typeof MetadataQuery>
export type TopAccountsQuery = z.output<typeof TopAccountsQuery>
export type DecodeQuery = z.output<typeof DecodeQuery>
