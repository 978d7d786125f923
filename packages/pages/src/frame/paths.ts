import { formatFriendlyAddress, parseAddress } from '@shardwalk/api-schema'

/** Paths of our pages. Their arguments are facts of the index, in the forms of API v3. */

/** `hash`: base64 or hex. */
export const hexOf = (hash: string): string =>
  /^[0-9a-fA-F]{64}$/.test(hash) ? hash.toLowerCase() : Buffer.from(hash, 'base64').toString('hex')

export const transactionPath = (hash: string): string => `/tx/${hexOf(hash)}`
export const tracePath = (hash: string): string => `/trace/${hexOf(hash)}`

export interface BlockPlace {
  readonly workchain: number
  /** Hex, as in replies. */
  readonly shard: string
  readonly seqno: number
}

export const blockPath = ({ workchain, shard, seqno }: BlockPlace): string =>
  `/block/${workchain}/${shard.toLowerCase()}/${seqno}`

/** The form in which people exchange the address; a text that is none stays as it is. */
export function friendlyOf(raw: string, form: { readonly testOnly: boolean; readonly bounceable?: boolean }) {
  const address = parseAddress(raw)
  return address
    ? formatFriendlyAddress(address, { bounceable: form.bounceable ?? true, testOnly: form.testOnly })
    : raw
}

/** `raw`: as in replies. */
export const accountPath = (raw: string, testOnly: boolean): string =>
  `/address/${friendlyOf(raw, { testOnly })}`

export const pathTo = {
  account: accountPath,
  block: blockPath,
  trace: tracePath,
  transaction: transactionPath,
}
