import type { Lt, McBlockSeqno } from '@shardwalk/model'
import type { EncodedBatch } from '../rows/encode-batch.ts'

/** Masterchain seqnos of the batches, in their order. */
export const seqnosOf = (batches: readonly EncodedBatch[]): McBlockSeqno[] =>
  batches.map(({ mcBlockSeqno }) => mcBlockSeqno)

/** What a batch writes to, both ends inclusive: its own range, and the place of each older message. */
export const ltRangesOf = ({ ltRange, oldLts }: EncodedBatch): { readonly from: Lt; readonly to: Lt }[] => [
  ...(ltRange ? [ltRange] : []),
  ...oldLts.map((lt) => ({ from: lt, to: lt })),
]
