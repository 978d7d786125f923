import { formatFriendlyAddress, parseAddress } from '@shardwalk/api-schema'
import { FULL_SHARD, formatShard, MASTERCHAIN, RecentMap } from '@shardwalk/model'

/** Paths of our pages. Their arguments are facts of the index, in the forms of API v3. */

/** `hash`: base64 or hex. */
export const hexOf = (hash: string): string =>
  /^[0-9a-fA-F]{64}$/.test(hash) ? hash.toLowerCase() : Buffer.from(hash, 'base64').toString('hex')

/** `hash`: base64 or hex. */
export const transactionPath = (hash: string): string => `/tx/${hexOf(hash)}`
/** `hash`: base64 or hex. */
export const tracePath = (hash: string): string => `/trace/${hexOf(hash)}`

/** The short id of a block. */
export interface BlockPlace {
  readonly workchain: number
  /** Hex, as in replies. */
  readonly shard: string
  readonly seqno: number
}

/** The page of a block. */
export const blockPath = ({ workchain, shard, seqno }: BlockPlace): string =>
  `/block/${workchain}/${shard.toLowerCase()}/${seqno}`

/** The masterchain as part of a `BlockPlace`. */
export const OF_MASTERCHAIN = { workchain: MASTERCHAIN, shard: formatShard(FULL_SHARD) } as const

/** Friendly forms by raw address: a page names the same few accounts hundreds of times. */
const KEPT = {
  false: new RecentMap<string, string>(2_000),
  true: new RecentMap<string, string>(2_000),
} as const

/** The form in which people exchange the address; a text that is none stays as it is. */
export function friendlyOf(raw: string, { testOnly }: { readonly testOnly: boolean }): string {
  const kept = KEPT[`${testOnly}`]
  const found = kept.get(raw)
  if (found !== undefined) return found
  const address = parseAddress(raw)
  if (!address) return raw
  const friendly = formatFriendlyAddress(address, { bounceable: true, testOnly })
  kept.set(raw, friendly)
  return friendly
}

/** `raw`: as in replies. */
export const accountPath = (raw: string, testOnly: boolean): string =>
  `/address/${friendlyOf(raw, { testOnly })}`

/** Pages by what they show. */
export const pathTo = {
  account: accountPath,
  block: blockPath,
  trace: tracePath,
  transaction: transactionPath,
}
