import { buildBasicTree } from './core/basic.ts'
import { type Block, keyHash } from './core/block.ts'
import { MatcherFault, runMatchers } from './core/matcher.ts'
import { buildEventTree, type EventNode } from './core/node.ts'
import type { ContractFacts } from './facts.ts'
import { mergeDedustDeposits } from './protocols/dedust-merge.ts'
import { ghostJettonTransfer } from './protocols/jettons.ts'
import { MATCHERS } from './registry.ts'
import type { ActionRow } from './row.ts'
import { unknownRow, writeRows } from './rows.ts'
import type { Trace } from './trace.ts'
import { requestedByWallet } from './wallet-external.ts'

export type ClassificationState = 'ok' | 'failed'

/** A fault of the classifier itself, with what it takes to see it again: the trace and the place. */
export interface ClassificationFailure {
  readonly traceId: string
  /** Name of the matcher, or the stage outside the matchers. */
  readonly matcher: string
  /** Hash of the message of the block that was looked at; null outside the matchers. */
  readonly messageHash: string | null
  readonly error: string
  readonly stack: string | null
}

export interface Classification {
  readonly state: ClassificationState
  /** Stored rows, nested ones after their composites. */
  readonly actions: readonly ActionRow[]
  readonly failures: readonly ClassificationFailure[]
}

export interface ClassifyOptions {
  /** Larger traces get one `unknown` action. Default 10000 transactions. */
  readonly maxTransactions?: number
  /** Called after each stage; what it throws is treated as a fault of that stage. For tests of the fall-backs. */
  readonly onStage?: (stage: 'after_matchers' | 'after_post_processing') => void
}

const MAX_TRANSACTIONS = 10_000

/**
 * Tells what happened in a trace, as rows. Pure; never throws: a fault of a matcher yields the basic actions (one per
 * message), state `failed` and a record of the fault. A trace with missing parts is classified as far as it is known.
 */
export function classifyTrace(trace: Trace, facts: ContractFacts, options: ClassifyOptions = {}): Classification {
  if (trace.transactions.length === 0 || isLoneTickTock(trace)) return { state: 'ok', actions: [], failures: [] }
  if (trace.transactions.length > (options.maxTransactions ?? MAX_TRANSACTIONS))
    return { state: 'ok', actions: [unknownRow(trace)], failures: [] }
  try {
    const actions = classifyFully(trace, facts, options)
    return { state: 'ok', actions: actions.length > 0 ? actions : classifyRequest(trace, facts), failures: [] }
  } catch (error) {
    return { state: 'failed', actions: basicActions(trace), failures: [describe(trace, error)] }
  }
}

/** The system's own heartbeat: nothing to show. */
const isLoneTickTock = ({ transactions }: Trace): boolean =>
  transactions.length === 1 && transactions[0]!.kind === 'tick_tock'

function classifyFully(trace: Trace, facts: ContractFacts, options: ClassifyOptions): ActionRow[] {
  const root = buildBasicTree(buildEventTree(trace))
  runMatchers(root, MATCHERS, facts)
  options.onStage?.('after_matchers')
  mergeDedustDeposits(root)
  options.onStage?.('after_post_processing')
  return writeRows(root, trace)
}

/** Nothing but an external message to a wallet that sent nothing: what was it asked for? */
function classifyRequest(trace: Trace, facts: ContractFacts): readonly ActionRow[] {
  const rows = ghostRows(trace, facts)
  return rows.length > 0 ? rows : [unknownRow(trace)]
}

function ghostRows(trace: Trace, facts: ContractFacts): readonly ActionRow[] {
  const [root, ...others] = buildEventTree(trace)
  if (!root || others.length > 0 || !isLoneExternal(root)) return []
  if (requestedByWallet(root).length === 0) return []
  const tree = buildBasicTree([root])
  runMatchers(tree, [ghostJettonTransfer], facts)
  return writeRows(tree, trace)
}

const isLoneExternal = (node: EventNode): boolean =>
  node.kind === 'message' && node.children.length === 0 && node.message.source === null

/** One action per message; where not even the tree can be built, one for the trace. */
function basicActions(trace: Trace): readonly ActionRow[] {
  if (trace.transactions.length === 1) return [unknownRow(trace)]
  try {
    return writeRows(basicTree(trace), trace)
  } catch {
    return [unknownRow(trace)]
  }
}

/** The tree before any matcher: one block per transaction and per log. */
export const basicTree = (trace: Trace): Block => buildBasicTree(buildEventTree(trace))

function describe(trace: Trace, error: unknown): ClassificationFailure {
  const fault = error instanceof MatcherFault ? error : undefined
  const cause = fault ? fault.cause : error
  return {
    traceId: trace.traceId,
    matcher: fault?.matcher ?? 'post-processing',
    messageHash: fault ? keyHash(fault.anchor) : null,
    error: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
    stack: cause instanceof Error ? (cause.stack ?? null) : null,
  }
}
