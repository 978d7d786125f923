import type { Columns } from '../row.ts'
import type { Address, Hash } from '../trace.ts'
import type { EventNode } from './node.ts'

/** Types of blocks that a tree has before matchers run. All but `ROOT` are also types of actions. */
export const ROOT = 'root'
/** A message between accounts that is none of the others, or a log. */
export const CALL = 'call_contract'
/** A message between accounts without an opcode, or with that of a comment. */
export const TON = 'ton_transfer'
/** A transaction that the system starts. */
export const TICK_TOCK = 'tick_tock'
/** A transaction that activates its account, beside the block of its message. */
export const DEPLOY = 'contract_deploy'
/** A request that the owner of a wallet signed and another account sent, beside the block of its message. */
export const GASLESS = 'gasless_request'

/** Types of blocks that stand beside the block of their message and are not parts of it. */
export const BESIDE: ReadonlySet<string> = new Set([DEPLOY, GASLESS])

/**
 * A vertex of the block tree: initially one event node, later a composite of several. `next` and `previous`
 * form the tree of top-level blocks; `children` are the constituents of a composite.
 */
export class Block {
  readonly next: Block[] = []
  previous: Block | undefined
  absorbedBy: Block | undefined
  readonly minLt: bigint
  readonly maxLt: bigint
  readonly minUtime: number
  readonly maxUtime: number
  readonly accounts: readonly (Address | null)[]
  readonly action: string
  readonly data: unknown
  readonly columns: () => Columns
  readonly failed: boolean

  constructor(
    /** Hashed into the action id; `action` is the type of the row. */
    readonly type: string,
    /** Earliest first. */
    readonly nodes: readonly EventNode[],
    readonly children: readonly Block[],
    /**
     * The nodes that sent the first messages: usually one, none for an external message, two for merged
     * halves.
     */
    readonly initiators: readonly EventNode[],
    draft: BlockContent,
  ) {
    this.action = draft.action ?? type
    this.data = draft.data
    this.columns = draft.columns
    this.failed = draft.failed ?? false
    this.accounts = draft.accounts ?? []
    const bounds = boundsOf(nodes)
    this.minLt = bounds.minLt
    this.maxLt = bounds.maxLt
    this.minUtime = bounds.minUtime
    this.maxUtime = bounds.maxUtime
  }

  /** First event node. Every block but the synthetic root has one. */
  get node(): EventNode {
    return this.nodes[0]!
  }

  /** True for call blocks, logs and external-in messages included. */
  get isCall(): boolean {
    return this.type === CALL
  }

  /** Opcode of a call block; undefined for everything else. */
  get opcode(): number | undefined {
    return this.type === CALL ? (this.nodes[0]!.opcode ?? undefined) : undefined
  }

  get source(): Address | null {
    return this.node.message.source
  }

  get destination(): Address | null {
    return this.node.message.destination
  }

  get value(): bigint {
    return this.node.message.value ?? 0n
  }

  /** Account activated by this block's own message. */
  get deployed(): Address | undefined {
    return this.nodes.length === 1 && this.node.activatesAccount ? this.node.transaction.account : undefined
  }
}

/** What a block becomes when it is built. */
export interface BlockContent {
  readonly action?: string
  readonly failed?: boolean
  /** Data for later patterns; its shape depends on the block type. */
  readonly data?: unknown
  /**
   * Row columns besides the generic ones. Those of a composite are read when it is built; if they cannot be
   * read, it does not match.
   */
  readonly columns: () => Columns
  /** Accounts besides those of the transactions, source and destination. */
  readonly accounts?: readonly (Address | null)[]
}

function boundsOf(nodes: readonly EventNode[]) {
  let [minLt, maxLt, minUtime, maxUtime] = [0n, 0n, 0, 0]
  for (const [i, { lt, utime, transaction }] of nodes.entries()) {
    if (i === 0 || lt < minLt) minLt = lt
    if (i === 0 || transaction.lt > maxLt) maxLt = transaction.lt
    if (i === 0 || utime < minUtime) minUtime = utime
    if (i === 0 || transaction.now > maxUtime) maxUtime = transaction.now
  }
  return { minLt, maxLt, minUtime, maxUtime }
}

/** Orders siblings by message lt. Every list of blocks has this order. */
export function byLt(a: Block, b: Block): number {
  return a.minLt < b.minLt ? -1 : a.minLt > b.minLt ? 1 : 0
}

/** Appends a child; the caller keeps the order of siblings, see `byLt`. */
export function link(parent: Block, child: Block): void {
  child.previous = parent
  parent.next.push(child)
}

/** The top-level blocks, parents before children, siblings by lt. */
export function breadthFirst(root: Block): Block[] {
  const order = [root]
  for (let i = 0; i < order.length; i++) for (const child of order[i]!.next) order.push(child)
  return order
}

/**
 * Replaces blocks with one composite. They must be connected: exactly one of them has a parent outside, or,
 * with `siblings`, all that do have the same one. Otherwise returns undefined and changes nothing.
 */
export function contract(
  absorbed: ReadonlySet<Block>,
  draft: BlockContent & { readonly type: string; readonly siblings?: boolean },
): Block | undefined {
  const tops = [...absorbed].filter((block) => !block.previous || !absorbed.has(block.previous))
  const parent = tops[0]?.previous
  if (!parent || tops.some((block) => block.previous !== parent)) return undefined
  if (tops.length > 1 && draft.siblings !== true) return undefined
  const children = [...absorbed].sort(byLt)
  const nodes = [...new Set(children.flatMap((block) => block.nodes))].sort((a, b) =>
    a.lt < b.lt ? -1 : a.lt > b.lt ? 1 : 0,
  )
  const initiators = tops.length === 1 ? tops[0]!.initiators : []
  const composite = new Block(draft.type, nodes, children, initiators, draft)
  for (const block of children)
    for (const child of block.next) if (!absorbed.has(child)) link(composite, child)
  composite.next.sort(byLt)
  for (const block of children) block.absorbedBy = composite
  composite.previous = parent
  replaceIn(parent, tops, composite)
  return composite
}

/**
 * Takes the place of the earliest block. The order by lt is kept, because a composite starts with its first
 * block.
 */
function replaceIn(parent: Block, tops: readonly Block[], composite: Block): void {
  const [first, ...others] = [...tops].sort(byLt)
  parent.next[parent.next.indexOf(first!)] = composite
  for (const block of others) parent.next.splice(parent.next.indexOf(block), 1)
}

/** Hash that identifies the block: that of its earliest message. */
export const keyHash = (block: Block): Hash => block.node.message.hash
