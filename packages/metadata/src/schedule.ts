import type { TokenKind } from './record.ts'

/** The first attempt and five retries. */
export const MAX_ATTEMPTS = 6
const DAY = 86_400
const LIFETIME: Readonly<Record<TokenKind, number>> = {
  jetton_masters: DAY,
  nft_collections: 3 * DAY,
  nft_items: 14 * DAY,
}

/**
 * Seconds until the next attempt: 5, 10, 20 up to 300, ±20 % so that attempts spread. `random` is in [0, 1).
 */
export const retryDelaySeconds = (attempts: number, random: number): number =>
  Math.min(5 * 2 ** (attempts - 1), 300) * spread(random)

/** Seconds until fetched metadata is out of date. */
export const lifetimeSeconds = (kind: TokenKind, random: number): number => LIFETIME[kind] * spread(random)

/** Seconds until a token whose attempts all failed is tried again. */
export const failedSeconds = (random: number): number => 7 * DAY * spread(random)

const spread = (random: number): number => 0.8 + 0.4 * random
