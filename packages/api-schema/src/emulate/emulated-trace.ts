import { base64, type Json } from '../v3/text.ts'
import { type TraceTransactionView, toTree } from '../v3/trace.ts'

/** What a message would cause, and the block on whose states it was run. */
export interface EmulatedTraceView {
  readonly mcBlockSeqno: number
  /** The root first, senders before receivers. */
  readonly transactions: readonly TraceTransactionView[]
  readonly actions: readonly Json[]
  /** Bags of cells by hash; undefined unless requested. */
  readonly cells?: { readonly code: ReadonlyMap<string, string>; readonly data: ReadonlyMap<string, string> }
  readonly addressBook?: Json | undefined
  readonly metadata?: Json | undefined
  readonly seed: Buffer
  readonly isIncomplete: boolean
}

/** Reply of `emulateTrace` and `emulateTonConnect`. */
export function toEmulationReply(view: EmulatedTraceView): Json {
  const { transactions, cells } = view
  const replies = transactions.map(({ hash, reply }) => `${base64(hash)}:${reply}`)
  return (
    `{"mc_block_seqno":${view.mcBlockSeqno},"trace":${toTree(transactions)?.text ?? 'null'}` +
    `,"transactions":{${replies.join(',')}},"actions":[${view.actions.join(',')}]` +
    (cells ? `,"code_cells":${textsOf(cells.code)},"data_cells":${textsOf(cells.data)}` : '') +
    (view.addressBook === undefined ? '' : `,"address_book":${view.addressBook}`) +
    (view.metadata === undefined ? '' : `,"metadata":${view.metadata}`) +
    `,"rand_seed":${base64(view.seed)},"is_incomplete":${view.isIncomplete}}`
  )
}

const textsOf = (bags: ReadonlyMap<string, string>): Json =>
  `{${[...bags].map(([hash, boc]) => `"${hash}":"${boc}"`).join(',')}}`
