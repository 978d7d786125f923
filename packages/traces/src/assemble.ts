import type { DecodedMessage } from '@shardwalk/model'
import type { Assembly, OpenMessage, TraceInput, TraceRow } from './records.ts'

/**
 * Whether a message starts a trace because no transaction sent it: external messages, minted and recovered
 * money. The masterchain zero address as source does not imply this: a contract with that address may send
 * messages.
 */
const isRootMessage = (message: DecodedMessage): boolean =>
  message.kind === 'external_in' || message.isSystem === true

/** An internal message; every other outgoing message is a log. */
interface Sent {
  readonly message: DecodedMessage
  /** Index of the sending transaction. */
  readonly by: number
  delivered: boolean
}

const NONE = -1

/**
 * Joins the transactions of a batch, in any order, into pieces of traces. Transactions connected by internal
 * messages belong to one trace; its root is the transaction that no other one caused.
 */
export function assemble(batch: readonly TraceInput[]): Assembly {
  const sent = sentMessages(batch)
  const { parents, orphans } = findSenders(batch, sent)
  const roots = rootsOf(parents)
  const { pieces, pieceOf } = sumUp(batch, parents, roots)
  const received: OpenMessage[] = []
  for (const transaction of orphans) {
    const piece = pieceOf[transaction]!
    received.push({ message: batch[transaction]!.transaction.inMsg!, piece })
    pieces[piece]!.pendingEdges++
    pieces[piece]!.state = 'broken'
  }
  const open: OpenMessage[] = []
  for (const { message, by, delivered } of sent.values()) {
    if (delivered) continue
    const piece = pieceOf[by]!
    open.push({ message, piece })
    pieces[piece]!.pendingEdges++
    if (pieces[piece]!.state === 'complete') pieces[piece]!.state = 'pending'
  }
  return { pieces, pieceOf, received, sent: open }
}

/** Map key of a hash: one character per byte. */
const keyOf = (hash: Buffer): string => hash.toString('latin1')

function sentMessages(batch: readonly TraceInput[]): Map<string, Sent> {
  const sent = new Map<string, Sent>()
  for (const [by, { transaction }] of batch.entries())
    for (const message of transaction.outMsgs)
      if (message.kind === 'internal') sent.set(keyOf(message.hash), { message, by, delivered: false })
  return sent
}

/**
 * `parents`: for each transaction its sender or `NONE`. `orphans`: transactions whose sender is not in the
 * batch.
 */
function findSenders(batch: readonly TraceInput[], sent: ReadonlyMap<string, Sent>) {
  const parents = new Int32Array(batch.length).fill(NONE)
  const orphans: number[] = []
  for (const [index, { transaction }] of batch.entries()) {
    const { inMsg } = transaction
    if (!inMsg || isRootMessage(inMsg)) continue
    const sender = sent.get(keyOf(inMsg.hash))
    if (sender) {
      sender.delivered = true
      parents[index] = sender.by
    } else orphans.push(index)
  }
  return { parents, orphans }
}

function rootsOf(parents: Int32Array): Int32Array {
  const roots = new Int32Array(parents.length).fill(NONE)
  for (let index = 0; index < parents.length; index++) {
    let at = index
    while (roots[at] === NONE && parents[at] !== NONE) at = parents[at]!
    const root = roots[at] === NONE ? at : roots[at]!
    for (let below = index; below !== at; below = parents[below]!) roots[below] = root
    roots[at] = root
  }
  return roots
}

type Draft = { -readonly [K in keyof TraceRow]: TraceRow[K] }

function sumUp(batch: readonly TraceInput[], parents: Int32Array, roots: Int32Array) {
  const pieces: Draft[] = []
  const pieceOf = new Int32Array(batch.length).fill(NONE)
  for (const [index, root] of roots.entries()) {
    if (pieceOf[root] === NONE) pieceOf[root] = pieces.push(startAt(batch[root]!)) - 1
    pieceOf[index] = pieceOf[root]!
    extend(pieces[pieceOf[index]!]!, batch[index]!, parents[index] !== NONE)
  }
  return { pieces, pieceOf }
}

/** An empty piece. */
function startAt({ transaction, mcBlockSeqno, externalIn }: TraceInput): Draft {
  const { hash, lt, now, inMsg } = transaction
  return {
    traceId: hash,
    ...(inMsg && { externalHash: inMsg.hash }),
    ...(inMsg?.hashNorm && { externalHashNorm: inMsg.hashNorm }),
    ...(externalIn && { externalIn }),
    state: 'complete',
    mcBlockSeqnoStart: mcBlockSeqno,
    mcBlockSeqnoEnd: mcBlockSeqno,
    startLt: lt,
    startUtime: now,
    endLt: lt,
    endUtime: now,
    nodes: 0,
    // The root's own message; that of an orphan is counted when its sender is found.
    edges: inMsg && isRootMessage(inMsg) ? 1 : 0,
    pendingEdges: 0,
  }
}

function extend(piece: Draft, { transaction, mcBlockSeqno }: TraceInput, delivered: boolean): void {
  piece.nodes++
  if (delivered) piece.edges++
  for (const message of transaction.outMsgs) if (message.kind !== 'internal') piece.edges++
  if (mcBlockSeqno > piece.mcBlockSeqnoEnd) piece.mcBlockSeqnoEnd = mcBlockSeqno
  if (transaction.lt > piece.endLt) piece.endLt = transaction.lt
  if (transaction.now > piece.endUtime) piece.endUtime = transaction.now
}
