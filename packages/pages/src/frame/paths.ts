/** Paths of our pages. Their arguments are facts of the index, in the forms of API v3. */

interface BlockPlace {
  readonly workchain: number
  /** Hex, as in replies. */
  readonly shard: string
  readonly seqno: number
}

export const blockPath = ({ workchain, shard, seqno }: BlockPlace): string =>
  `/block/${workchain}/${shard.toLowerCase()}/${seqno}`
