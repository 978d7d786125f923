import { sql } from 'kysely'

/** Tables whose rows have metadata. `type` in the metadata tables is the index in this list. */
export const TOKEN_TYPES = ['nft_items', 'nft_collections', 'jetton_masters'] as const
/** Name of such a table. */
export type TokenType = (typeof TOKEN_TYPES)[number]

/** The number of a type in `address_metadata.type` and the queue. */
export const typeNumber = (type: TokenType): number => TOKEN_TYPES.indexOf(type)

/** SHA-256 of a token's on-chain content; 32 bytes even for a token without content. */
export const sourceHash = (alias: 'c' | 't') =>
  sql<Buffer>`sha256(convert_to(coalesce(${sql.ref(`${alias}.content`)}::text, ''), 'UTF8'))`

/** Lower values come first. */
export const PRIORITY = { asked: 0, jetton_masters: 1, nft_collections: 2, nft_items: 3 } as const

/**
 * Whether a row of address_metadata is to be fetched again. No lifetime is longer: an end that is further
 * ahead was written by a clock of the database that has been set back since.
 */
export const isOutdated = (alias: string): string =>
  `(${alias}.expires_at < now() or ${alias}.expires_at > now() + interval '17 days')`

/** Whether a process that fetches metadata runs; one that was seen later than now ran before a set back. */
export const FETCHER_RUNS = `exists (select from metadata_fetcher
  where seen_at between now() - interval '5 minutes' and now() + interval '5 minutes')`
