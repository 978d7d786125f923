import { base64, base64OrNull, decimal, type Json } from './text.ts'

/** Row of a trace. */
export interface TraceRow {
  /** Null while its root has not happened. */
  readonly trace_id: Buffer | null
  /** Of the root's in message, whatever its kind; null: it has none. */
  readonly external_hash: Buffer | null
  readonly mc_seqno_start: number
  readonly mc_seqno_end: number
  readonly start_lt: bigint
  readonly end_lt: bigint
  readonly start_utime: number
  readonly end_utime: number
  readonly nodes: number
  readonly edges: number
  readonly pending_edges: number
}

/** A transaction of a trace: its position in the tree and its reply. */
export interface TraceTransactionView {
  readonly hash: Buffer
  readonly inMsgHash?: Buffer | undefined
  /** Index of the transaction that sent the in message; undefined if none of this trace did. */
  readonly parent?: number | undefined
  readonly reply: Json
}

/** A trace with what its reply needs besides its row. */
export interface TraceView {
  readonly row: TraceRow
  readonly state: 'complete' | 'pending' | 'broken'
  readonly classification: 'unclassified' | 'failed' | 'ok'
  /** Ordered by lt, then account; undefined if the trace is too large to print. */
  readonly transactions?: readonly TraceTransactionView[] | undefined
  readonly actions?: readonly Json[] | undefined
  /** Whether transactions are missing that are expected. */
  readonly isIncomplete?: boolean | undefined
}

/** `Trace` of API v3. */
export function toTraceReply(view: TraceView): Json {
  const { row: r, transactions } = view
  const tree = transactions && toTree(transactions)
  const warning = !transactions
    ? 'trace is too large'
    : tree?.missing
      ? 'missing node in trace found'
      : undefined
  return (
    `{"trace_id":${base64OrNull(r.trace_id)},"external_hash":${base64OrNull(r.external_hash)}` +
    `,"mc_seqno_start":"${r.mc_seqno_start}","mc_seqno_end":"${r.mc_seqno_end}"` +
    `,"start_lt":${decimal(r.start_lt)},"start_utime":${r.start_utime}` +
    `,"end_lt":${decimal(r.end_lt)},"end_utime":${r.end_utime}` +
    `,"trace_info":{"trace_state":"${view.state}","messages":${r.edges},"transactions":${r.nodes}` +
    `,"pending_messages":${r.pending_edges},"classification_state":"${view.classification}"}` +
    `,"is_incomplete":${!transactions || view.isIncomplete === true}` +
    (warning ? `,"warning":"${warning}"` : '') +
    (view.actions ? `,"actions":[${view.actions.join(',')}]` : '') +
    (tree && transactions ? treeFields(tree.text, transactions) : '') +
    '}'
  )
}

/** The tree of `Trace` of API v3 alone. The first transaction without a sender is the root. */
export const toTraceTree = (transactions: readonly TraceTransactionView[]): Json => toTree(transactions)!.text

/** Transactions of a trace by hash. */
export const toTransactionsByHash = (transactions: readonly TraceTransactionView[]): Json =>
  `{${transactions.map(({ hash, reply }) => `${base64(hash)}:${reply}`).join(',')}}`

function treeFields(tree: Json, transactions: readonly TraceTransactionView[]): Json {
  const replies = transactions.map(({ hash, reply }) => [base64(hash), reply] as const)
  const sorted = [...replies].sort((a, b) => (a[0] < b[0] ? -1 : 1))
  return (
    `,"trace":${tree},"transactions_order":[${replies.map(([hash]) => hash).join(',')}]` +
    `,"transactions":{${sorted.map(([hash, reply]) => `${hash}:${reply}`).join(',')}}`
  )
}

/** The first transaction without a sender is the root; other trees are omitted and reported as missing. */
export function toTree(
  transactions: readonly Omit<TraceTransactionView, 'reply'>[],
): { readonly text: Json; readonly missing: boolean } | undefined {
  if (transactions.length === 0) return undefined
  // Senders precede receivers, so children are complete when a node is reached from the end. Traces are too
  // deep for recursion.
  const children: Json[][] = transactions.map(() => [])
  const roots: Json[] = []
  for (let index = transactions.length - 1; index >= 0; index--) {
    const { hash, inMsgHash, parent } = transactions[index]!
    const node =
      `{"tx_hash":${base64(hash)}` +
      (inMsgHash ? `,"in_msg_hash":${base64(inMsgHash)}` : '') +
      `,"children":[${children[index]!.reverse().join(',')}]}`
    children[index] = []
    if (parent === undefined) roots.push(node)
    else children[parent]!.push(node)
  }
  return { text: roots.at(-1)!, missing: roots.length > 1 }
}
