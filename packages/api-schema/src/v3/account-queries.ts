import * as z from 'zod'
import { listOf, needed, optional, withDefault } from '../parameters.ts'
import { addressKind, booleanKind, hashKind, type ValueKind } from '../value-kinds.ts'
import { page } from './queries.ts'

/** Most addresses or code hashes in one request. */
export const MAX_ACCOUNTS = 1000
const MAX_BOOK = 1024
const MAX_DECODED = 1000

/** Any text. */
const textKind: ValueKind<string> = {
  noun: 'a text',
  accepts: 'any text',
  parse: (value) => ({ value }),
  schema: { type: 'string' },
}

/** A text that is compared with stored ones: PostgreSQL texts cannot contain NUL characters. */
export const storedTextKind: ValueKind<string> = {
  ...textKind,
  accepts: 'any text without NUL characters',
  parse: (value) => (value.includes('\0') ? { problem: 'contains invalid characters' } : { value }),
}

type Lists = Readonly<Record<string, unknown>>

/** Refines a schema: a query with none of the parameters is refused with `message`. */
export const needsOneOf =
  (names: readonly string[], message: string) =>
  (query: Lists, ctx: z.core.$RefinementCtx): void => {
    if (names.every((name) => query[name] === undefined)) ctx.addIssue({ code: 'custom', message })
  }

/** `/accountStates`. Refuses queries with neither addresses nor code hashes. */
export const AccountStatesQuery = z
  .object({
    address: listOf(addressKind, MAX_ACCOUNTS, 'Accounts. Those never seen are omitted from the reply.'),
    code_hash: listOf(hashKind, MAX_ACCOUNTS, 'Only accounts with one of these code hashes.'),
    include_boc: withDefault(booleanKind, true, 'Whether to include `code_boc` and `data_boc`.'),
  })
  .superRefine(needsOneOf(['address', 'code_hash'], 'address of account is required'))

/** `/walletStates`. Refuses queries without an address. */
export const WalletStatesQuery = z
  .object({
    address: needed(
      listOf(addressKind, MAX_ACCOUNTS, 'Accounts. Those never seen are omitted from the reply.'),
    ),
    code_hash: listOf(hashKind, MAX_ACCOUNTS, 'Only accounts with one of these code hashes.'),
    include_boc: optional(booleanKind, 'Has no effect: replies contain neither code nor data.'),
  })
  .superRefine(needsOneOf(['address'], 'address of account is required'))

/** `/addressBook`. Texts that are no addresses are accepted; the reply has them as keys. */
export const AddressBookQuery = z
  .object({
    address: needed(listOf(textKind, MAX_BOOK, 'Addresses in any form. The keys of the reply repeat them.')),
  })
  .superRefine(needsOneOf(['address'], 'at least 1 address required'))

/** `/metadata`: names, images and other token data of addresses. */
export const MetadataQuery = z
  .object({
    address: needed(
      listOf(textKind, MAX_BOOK, 'Addresses in any form. Those without token data are omitted.'),
    ),
  })
  .superRefine(needsOneOf(['address'], 'at least 1 address required'))

/** `/topAccountsByBalance`. */
export const TopAccountsQuery = z.object({ ...page })

/** Far above the actual limit, which has its own error text. */
const UNLIMITED = 1_000_000

/** `/decode`, GET and POST. Refuses more than 1,000 opcodes or bodies. */
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
