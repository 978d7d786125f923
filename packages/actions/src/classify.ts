import { buildBasicTree } from './core/basic.ts'
import { type Block, breadthFirst, keyHash } from './core/block.ts'
import { MatcherFault, MatcherList, runMatchers } from './core/matcher.ts'
import { buildEventTree, type EventNode } from './core/node.ts'
import type { AccountFacts, ContractFacts } from './facts.ts'
import { type FactsWanted, factsOfTree } from './facts-to-load.ts'
import { mergeDedustDeposits } from './protocols/dedust-merge.ts'
import { ghostJettonTransfer } from './protocols/jettons.ts'
import { MATCHERS } from './registry.ts'
import type { ActionRow } from './row.ts'
import { unknownRow, writeRows } from './rows.ts'
import type { Address, Trace } from './trace.ts'
import { requestedByWallet } from './wallet-external.ts'

/** `failed`: there are failures, and actions may be missing. */
export type ClassificationState = 'ok' | 'failed'

/** A fault of the classifier itself, with the trace and the place needed to reproduce it. */
export interface ClassificationFailure {
  readonly traceId: string
  /** Name of the matcher, or the stage outside the matchers. */
  readonly matcher: string
  /** Hash of the message of the block being examined; null outside the matchers. */
  readonly messageHash: string | null
  readonly error: string
  readonly stack: string | null
}

/** Result of `classify`. */
export interface Classification {
  readonly state: ClassificationState
  /** Stored rows, nested ones after their composites. */
  readonly actions: readonly ActionRow[]
  readonly failures: readonly ClassificationFailure[]
  /**
   * Accounts whose facts were requested, known or not. The result can change only if one of these facts does.
   */
  readonly asked: ReadonlySet<Address>
}

/** What observes a classification. */
export interface ClassifyOptions {
  /** Called after each stage; an exception counts as a fault of that stage. */
  readonly onStage?: (stage: 'after_matchers' | 'after_post_processing') => void
}

/** Larger traces get one `unknown` action and a failure with this reason. */
const MAX_TRANSACTIONS = 10_000

/**
 * Derives the actions of a trace, as rows. Pure; never throws: if a matcher fails, returns the basic actions
 * (one per message), state `failed` and a record of the fault. If parts of a trace are missing, the known
 * part is classified.
 */
export const classifyTrace = (
  trace: Trace,
  facts: ContractFacts,
  options: ClassifyOptions = {},
): Classification => new OpenTrace(trace, options).classify(facts)

/** Facts worth loading before `classifyTrace`; see `OpenTrace.factsWanted`. */
export const factsWanted = (trace: Trace, known: ContractFacts): FactsWanted =>
  new OpenTrace(trace).factsWanted(known)

/** A trace being classified: parsed once, asked for the facts it needs, then classified once. */
export class OpenTrace {
  readonly trace: Trace
  private readonly options: ClassifyOptions
  private root: Block | undefined

  constructor(trace: Trace, options: ClassifyOptions = {}) {
    this.trace = trace
    this.options = options
  }

  /**
   * Facts worth loading: of every account of the trace and of those that only message bodies refer to, unless
   * no matcher would use them. Known facts lead to more (a stake wallet refers to its pool, an auction to its
   * item), so load and call again until nothing new is returned, which takes at most three rounds.
   */
  factsWanted(known: ContractFacts): FactsWanted {
    if (this.isTrivial || !this.isConcerned()) return NOTHING_WANTED
    return factsOfTree(this.tree(), known)
  }

  /** Same as `classifyTrace`. */
  classify(facts: ContractFacts): Classification {
    const { trace } = this
    if (this.isTooLarge) return this.tooLarge()
    if (this.isTrivial) return { state: 'ok', actions: [], failures: [], asked: new Set() }
    const recording = new RecordingFacts(facts)
    try {
      const found = this.classifyFully(recording)
      const actions = found.length > 0 ? withUnknown(found, trace) : classifyRequest(trace, recording)
      return { state: 'ok', actions, failures: [], asked: recording.asked }
    } catch (error) {
      return {
        state: 'failed',
        actions: basicActions(trace),
        failures: [describe(trace, error)],
        asked: recording.asked,
      }
    }
  }

  private tooLarge(): Classification {
    const { traceId, nodes, transactions } = this.trace
    const error = `a trace of ${nodes ?? transactions.length} transactions is not read`
    const failure = { traceId, matcher: 'size', messageHash: null, error, stack: null }
    return { state: 'failed', actions: [unknownRow(this.trace)], failures: [failure], asked: new Set() }
  }

  private classifyFully(facts: ContractFacts): ActionRow[] {
    const root = this.tree()
    this.root = undefined
    runMatchers(root, MATCHERS, facts)
    this.options.onStage?.('after_matchers')
    mergeDedustDeposits(root)
    this.options.onStage?.('after_post_processing')
    return writeRows(root, this.trace)
  }

  private tree(): Block {
    this.root ??= basicTree(this.trace)
    return this.root
  }

  /** A single request to a wallet is read although no matcher uses it. */
  private isConcerned(): boolean {
    const blocks = breadthFirst(this.tree())
    return blocks.length === 2 || blocks.some((block) => MATCHERS.concernedBy(block).length > 0)
  }

  private get isTooLarge(): boolean {
    return (this.trace.nodes ?? this.trace.transactions.length) > MAX_TRANSACTIONS
  }

  private get isTrivial(): boolean {
    return this.trace.transactions.length === 0 || isLoneTickTock(this.trace) || this.isTooLarge
  }
}

const NOTHING_WANTED: FactsWanted = { accounts: new Set(), data: new Set() }

/** Records which facts were requested. */
class RecordingFacts implements ContractFacts {
  readonly asked = new Set<Address>()

  constructor(private readonly facts: ContractFacts) {}

  get(address: Address): AccountFacts | undefined {
    this.asked.add(address)
    return this.facts.get(address)
  }
}

/**
 * A change of a wallet's key by an external message has no parts that clients of `latest` could be shown
 * instead: to them its trace is one of unknown contents.
 */
function withUnknown(rows: readonly ActionRow[], trace: Trace): readonly ActionRow[] {
  const [row, ...others] = rows
  if (row?.type !== 'change_wallet_key' || others.length > 0) return rows
  const part = { parent_action_id: row.action_id, ancestor_type: [row.type] }
  return [row, { ...unknownRow(trace), ...part }]
}

/** A tick-tock transaction alone, which has nothing to show. */
const isLoneTickTock = ({ transactions }: Trace): boolean =>
  transactions.length === 1 && transactions[0]!.kind === 'tick_tock'

/** Handles a trace with only an external message to a wallet that sent nothing: reads what was requested. */
function classifyRequest(trace: Trace, facts: ContractFacts): readonly ActionRow[] {
  const rows = ghostRows(trace, facts)
  return rows.length > 0 ? rows : [unknownRow(trace)]
}

function ghostRows(trace: Trace, facts: ContractFacts): readonly ActionRow[] {
  const [root, ...others] = buildEventTree(trace)
  if (!root || others.length > 0 || !isLoneExternal(root)) return []
  if (requestedByWallet(root).length === 0) return []
  const tree = buildBasicTree([root])
  runMatchers(tree, GHOST_MATCHERS, facts)
  return writeRows(tree, trace)
}

const GHOST_MATCHERS = new MatcherList([ghostJettonTransfer])

const isLoneExternal = (node: EventNode): boolean =>
  node.kind === 'message' && node.children.length === 0 && node.message.source === null

/** One action per message, or one for the trace if not even the tree can be built. */
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
