import { bocText } from '@shardwalk/api-schema'
import { decodeBody } from '@shardwalk/contracts'
import type { Page } from '../http/route.ts'
import type { EventRow } from './queries/accounts-events.ts'

/** A page that no row can be on. */
export const NOTHING: Page = { items: [], fields: { address_book: '{}', metadata: '{}' } }
export const NOTHING_WITHOUT_METADATA: Page = { items: [], fields: { address_book: '{}' } }

/** Standard base64. */
export const textOrNull = (bytes: Buffer | null): string | null => (bytes ? bytes.toString('base64') : null)

export const payloadText = (boc: Buffer | null): string | null => boc && bocText(boc)

export const decodedPayload = (boc: Buffer | null) => boc && decodeBody({ body: boc })

export const eventFacts = (row: EventRow) => ({
  transaction_hash: row.hash.toString('base64'),
  transaction_lt: String(row.lt),
  transaction_now: row.now,
  transaction_aborted: row.aborted,
})

/** JSON of a value with bigints in it: they are written as integers, exactly. */
export const withIntegers = (value: unknown): string =>
  JSON.stringify(value, (_key, given) => (typeof given === 'bigint' ? rawJson(String(given)) : given))

/** Node has it since version 21; the types of the language do not yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }
