import { BASIC_ACTION_DETAILS } from './basic.ts'
import { DEX_ACTION_DETAILS } from './dex.ts'
import { NFT_ACTION_DETAILS } from './nft.ts'
import { PROTOCOLS_ACTION_DETAILS } from './protocols.ts'

/** `details` of an action by its type. Members that a type omits while they are unknown are optional. */
export const ACTION_DETAILS = {
  ...BASIC_ACTION_DETAILS,
  ...NFT_ACTION_DETAILS,
  ...DEX_ACTION_DETAILS,
  ...PROTOCOLS_ACTION_DETAILS,
} as const
