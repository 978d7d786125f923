import { COMPLETE_TRACE, type Db } from '@shardwalk/db'
import { decodeTrace, type StoredTrace } from '@shardwalk/pending'
import {
  type PendingRow,
  placesOfMessages,
  type TraceRow,
  tracesByIds,
  transactionsOfTraces,
} from '@shardwalk/queries'
import type { RenderContext } from '../render-context.ts'
import { type RenderedTransaction, renderTransactions, treeOf } from '../traces/trace-parts.ts'
import { type ExpectedNode, renderExpected } from './expected-nodes.ts'

/** A transaction of a pending trace, rendered. */
export type PendingNode = ExpectedNode

/** Whether it has not happened. */
export const isExpected = ({ finality }: PendingNode): boolean => finality === 'pending'

/** A pending trace, rendered: what has happened of it and what is expected. */
export interface PendingTrace {
  readonly row: PendingRow
  readonly stored: StoredTrace
  /** Senders before receivers. */
  readonly nodes: readonly PendingNode[]
  /** Messages that indexed transactions received, also those that the snapshot does not know of. */
  readonly received: ReadonlySet<string>
}

/** Null while its root has not happened. */
export function traceIdOf({ row, stored }: Pick<PendingTrace, 'row' | 'stored'>): Buffer | null {
  const root = stored.expected[0]?.confirmed
  return row.trace_id ?? (root && stored.happened.length === 0 ? Buffer.from(root.hash, 'base64') : null)
}

/** The traces of these rows. `context`: reads where the rows are. */
export async function renderPending(
  context: RenderContext,
  rows: readonly PendingRow[],
): Promise<PendingTrace[]> {
  const indexed = await indexedOf(context, rows)
  const traces: PendingTrace[] = []
  for (const row of rows) {
    const stored = decodeTrace(row.trace!)
    const happened = new Set(stored.happened)
    const all = (row.trace_id && indexed.get(row.trace_id.toString('latin1'))) || []
    const rendered = all.filter((one) => happened.has(one.row.hash.toString('base64')))
    traces.push({
      row,
      stored,
      nodes: [...happenedNodes(rendered), ...(await expectedNodes(context, { row, stored, rendered }))],
      received: new Set(all.flatMap(({ inMsgHash }) => inMsgHash?.toString('base64') ?? [])),
    })
  }
  return traces
}

/** Transactions of the traces that have begun, by trace. */
async function indexedOf(
  context: RenderContext,
  rows: readonly PendingRow[],
): Promise<ReadonlyMap<string, RenderedTransaction[]>> {
  const ids = rows.flatMap(({ trace_id: id }) => id ?? [])
  const traces = (await tracesByIds(context.db, ids)).filter(({ nodes }) => nodes <= MAX_NODES)
  const rendered = await renderTransactions(context, await transactionsOfTraces(context.db, traces))
  const keys = new Map(traces.map(({ piece, trace_id: id }) => [piece, id.toString('latin1')]))
  const byTrace = new Map<string, RenderedTransaction[]>()
  for (const one of rendered) {
    const key = keys.get(one.row.of_piece)!
    const group = byTrace.get(key)
    if (group) group.push(one)
    else byTrace.set(key, [one])
  }
  return byTrace
}

/** Nothing is expected after longer ones. */
const MAX_NODES = 256

function happenedNodes(rendered: readonly RenderedTransaction[]): PendingNode[] {
  const tree = treeOf(rendered)
  return rendered.map(({ row, part }, index) => ({
    ...tree[index]!,
    finality: 'finalized' as const,
    account: part.account,
    lt: row.lt,
    now: row.now,
    mcBlockSeqno: row.mc_block_seqno,
    outMessages: row.out_msg_count,
    isCourtesy: false,
    listed: part.listed,
  }))
}

interface Begun {
  readonly row: PendingRow
  readonly stored: StoredTrace
  readonly rendered: readonly RenderedTransaction[]
}

async function expectedNodes(
  context: RenderContext,
  { row, stored, rendered }: Begun,
): Promise<PendingNode[]> {
  const traceId = traceIdOf({ row, stored })
  const nodes = await renderExpected(context, stored, { externalHash: row.hash_norm, traceId })
  const places = new Map(rendered.map((one, index) => [one.row.hash.toString('base64'), index]))
  return nodes.map((node, index) => {
    const { parent, sender } = stored.expected[index]!
    const at = parent === undefined ? sender && places.get(sender) : rendered.length + parent
    return { ...node, parent: at === '' ? undefined : at }
  })
}

/** What a reader of `db` finds of pending traces, by normalised hash in base64. */
export interface Indexed {
  /** In the tables, whatever their state. */
  readonly begun: ReadonlySet<string>
  /** All of it has happened. */
  readonly complete: ReadonlySet<string>
  /** In the lists of the index, complete and with their actions. */
  readonly settled: ReadonlySet<string>
}

/** Which of the messages have happened by now, and whether their traces are complete. */
export async function indexedAmong(
  db: Db,
  rows: readonly Pick<PendingRow, 'hash' | 'hash_norm'>[],
): Promise<Indexed> {
  const places = await placesOfMessages(
    db,
    rows.flatMap((row) => [row.hash_norm, row.hash]),
  )
  const traces = await tracesByIds(
    db,
    places.map((place) => place.trace_id),
  )
  return {
    begun: new Set(traces.map(keyOf)),
    complete: new Set(traces.filter(isComplete).map(keyOf)),
    settled: new Set(traces.filter(isSettled).map(keyOf)),
  }
}

const isComplete = ({ state }: TraceRow): boolean => state === COMPLETE_TRACE
const isSettled = (row: TraceRow): boolean => isComplete(row) && (row.failed || !row.unclassified)

const keyOf = ({ external_hash_norm, external_hash }: TraceRow): string =>
  (external_hash_norm ?? external_hash)?.toString('base64') ?? ''
