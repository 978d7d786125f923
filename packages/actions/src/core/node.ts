import { EMPTY_CELL, parseBoc, type Slice } from '@shardwalk/cells'
import type { Trace, TraceMessage, TraceTransaction } from '../trace.ts'
import { requestOpcode } from './request-opcode.ts'

/** `log`: an external-out message. See `EventNode`. */
export type NodeKind = 'message' | 'log' | 'tick_tock' | 'ghost'

/**
 * A transaction with its inbound message, or an external-out message as a leaf below its sender. `ghost`: a
 * message that a wallet was asked to send but did not.
 */
export class EventNode {
  parent: EventNode | undefined
  readonly children: EventNode[] = []
  readonly lt: bigint
  readonly utime: number
  private root: (() => Slice) | undefined
  private behindSignature: number | null | undefined

  constructor(
    readonly kind: NodeKind,
    readonly message: TraceMessage,
    /** The receiver's transaction; for a log or a ghost, that of the sender. */
    readonly transaction: TraceTransaction,
    body?: () => Slice,
  ) {
    this.root = body
    this.lt = message.createdLt ?? transaction.lt
    this.utime = message.createdLt === null ? transaction.now : (message.createdAt ?? transaction.now)
  }

  get failed(): boolean {
    return this.kind === 'ghost' || this.transaction.aborted
  }

  /**
   * True if the status was not active before and is active after; the transaction of a log belongs to another
   * node.
   */
  get activatesAccount(): boolean {
    return (
      this.kind === 'message' &&
      this.transaction.origStatus !== 'active' &&
      this.transaction.endStatus === 'active'
    )
  }

  /** Of the message; that of a request to a Telegram wallet is behind its signature. */
  get opcode(): number | null {
    const { kind, message } = this
    if (this.behindSignature === undefined)
      this.behindSignature = (kind === 'message' && requestOpcode(message, () => this.body())) || null
    return this.behindSignature ?? message.opcode
  }

  /** Reader over the body, opcode included. Throws DecodeError when the body is not a bag of cells. */
  body(): Slice {
    this.root ??= openBody(this.message.body)
    return this.root()
  }
}

function openBody(body: Uint8Array | null): () => Slice {
  if (body === null || body.length === 0) return () => EMPTY_CELL.slice()
  const bag = parseBoc(body, { verifyCrc: false })
  const root = bag.root
  return () => bag.slice(root)
}

/** Tick-tock transactions have no message: the node is named by the transaction. */
const tickTockMessage = (transaction: TraceTransaction): TraceMessage => ({
  hash: transaction.hash,
  source: null,
  destination: null,
  value: null,
  createdLt: null,
  createdAt: null,
  opcode: null,
  body: null,
})

/**
 * The forest of event nodes, earliest root first: one tree for a complete trace, several when a connecting
 * transaction is missing. Messages without a receiver in the trace are omitted. A child's lt exceeds its
 * parent's, so damaged input cannot create a cycle.
 */
export function buildEventTree(trace: Trace): EventNode[] {
  const transactions = [...trace.transactions].sort(byLtAndHash)
  const nodes = transactions.map((tx) =>
    tx.inMessage
      ? new EventNode('message', tx.inMessage, tx)
      : new EventNode('tick_tock', tickTockMessage(tx), tx),
  )
  const receivers = new Map<string, EventNode>()
  for (const node of nodes)
    if (node.kind === 'message' && !receivers.has(node.message.hash)) receivers.set(node.message.hash, node)
  for (const node of nodes)
    for (const message of node.transaction.outMessages) addChild(node, message, receivers)
  return nodes.filter((node) => node.parent === undefined)
}

/** Transactions of different accounts may have the same lt. */
const byLtAndHash = (a: TraceTransaction, b: TraceTransaction): number =>
  a.lt !== b.lt ? (a.lt < b.lt ? -1 : 1) : a.hash < b.hash ? -1 : 1

function addChild(node: EventNode, message: TraceMessage, receivers: ReadonlyMap<string, EventNode>): void {
  const child =
    message.destination === null
      ? new EventNode('log', message, node.transaction)
      : receivers.get(message.hash)
  if (!child || child.parent) return
  if (child.kind === 'message' && child.transaction.lt <= node.transaction.lt) return
  child.parent = node
  node.children.push(child)
}
