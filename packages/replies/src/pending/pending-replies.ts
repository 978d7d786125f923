import { isShown } from '@shardwalk/actions'
import { type Json, toTraceReply } from '@shardwalk/api-schema'
import type { PendingAction } from './pending-actions.ts'
import { isExpected, type PendingNode, type PendingTrace, traceIdOf } from './pending-traces.ts'

interface Members {
  /** Those that the client understands. */
  readonly actions: readonly Json[]
}

/** `Trace` of API v3. Undefined if the trace is too large to be known whole. */
export function pendingTraceReply(
  { row, stored, nodes }: PendingTrace,
  { actions }: Members,
): Json | undefined {
  const [root] = nodes
  if (!root) return undefined
  const last = latest(nodes)
  const seqnos = nodes.map((node) => node.mcBlockSeqno)
  return toTraceReply({
    row: {
      trace_id: traceIdOf({ row, stored }),
      external_hash: row.hash,
      mc_seqno_start: Math.min(...seqnos),
      mc_seqno_end: Math.max(...seqnos),
      start_lt: root.lt,
      end_lt: last.lt,
      start_utime: root.now,
      end_utime: Math.max(...nodes.map((node) => node.now)),
      nodes: nodes.length,
      // The message that began it, which no transaction sent.
      edges: 1 + outMessages(nodes),
      pending_edges: (isExpected(root) ? 1 : 0) + outMessages(nodes.filter(isExpected)),
    },
    state: 'pending',
    classification: stored.isClassified ? 'ok' : 'unclassified',
    transactions: nodes,
    actions,
    isIncomplete: stored.isIncomplete,
  })
}

const outMessages = (nodes: readonly PendingNode[]): number =>
  nodes.reduce((sum, node) => sum + node.outMessages, 0)

/** The node with the greatest lt. */
export const latest = (nodes: readonly PendingNode[]): PendingNode =>
  nodes.reduce((last, node) => (node.lt > last.lt ? node : last))

/** Ties, which are many because emulated lt are round, by account. */
export function byDescendingLt(a: PendingNode, b: PendingNode): number {
  if (a.lt !== b.lt) return a.lt < b.lt ? 1 : -1
  return a.account === b.account ? 0 : a.account < b.account ? -1 : 1
}

/** Actions of which the client understands the type, and none of those around them. */
export const understood = (
  actions: readonly PendingAction[],
  supported: ReadonlySet<string>,
): readonly PendingAction[] => actions.filter(({ row }) => isShown(row, supported))

/**
 * Expected transactions, without those that an indexed one has taken the place of in the meantime, and what
 * they would have caused.
 */
export function stillExpected({ nodes, received }: PendingTrace): PendingNode[] {
  const gone = new Set<number>()
  return nodes.filter((node, index) => {
    const isGone =
      (isExpected(node) && node.inMsgHash && received.has(node.inMsgHash.toString('base64'))) ||
      (node.parent !== undefined && gone.has(node.parent))
    if (isGone) gone.add(index)
    return isExpected(node) && !isGone
  })
}
