import { DecodeError, errorMessage } from '@shardwalk/model'
import type { ContractFacts } from '../facts.ts'
import { type Block, type BlockContent, breadthFirst, contract } from './block.ts'
import { type Captures, leftovers, matchAt } from './match.ts'
import type { Pattern } from './pattern.ts'

/** The match of a pattern, passed to the builder. */
export interface Match {
  readonly anchor: Block
  readonly captures: Captures
  readonly facts: ContractFacts
}

/** A composite to be created. */
export interface Draft extends BlockContent {
  readonly type: string
  /** Blocks that become part of it; default: the anchor and everything captured. */
  readonly absorb?: readonly Block[]
  /** Blocks taken beyond the captured ones. */
  readonly also?: readonly Block[]
  /** The blocks may be siblings below one parent instead of descendants of each other. */
  readonly siblings?: boolean
}

/**
 * Recognises one kind of action. `build` is pure; it returns undefined or throws DecodeError if there is
 * none.
 */
export interface Matcher {
  readonly name: string
  /** Where to try: opcodes of call blocks, block types, or every block that deploys an account. */
  readonly anchors: readonly AnchorKey[]
  readonly pattern: Pattern
  /** Takes excess and bounce messages below the anchor too. */
  readonly anchorLeftovers?: boolean
  readonly build: (match: Match) => Draft | readonly Draft[] | undefined
}

/** An opcode, a block type, or `DEPLOYING`. */
export type AnchorKey = number | string
/** Anchor: any block that deploys an account. */
export const DEPLOYING = '*deploys'

/** The data is valid, but the blocks do not form the action. */
export class Unfit extends Error {}

/** Stops a build when a piece is missing. */
export function need<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw missing(what)
  return value
}

const known = new Map<string, Unfit>()

/**
 * One error per text: most attempts end this way, the stack is never read, and recording it took a tenth of
 * the time.
 */
function missing(what: string): Unfit {
  let unfit = known.get(what)
  if (!unfit) known.set(what, (unfit = new Unfit(what)))
  return unfit
}

/** A fault of a matcher, as opposed to its data. */
export class MatcherFault extends Error {
  constructor(
    readonly matcher: string,
    readonly anchor: Block,
    cause: unknown,
  ) {
    super(`${matcher}: ${errorMessage(cause)}`, { cause })
  }
}

/** Matchers in order, indexed by anchor, because most traces involve few of them. */
export class MatcherList {
  private readonly byKey = new Map<AnchorKey, number[]>()

  constructor(readonly all: readonly Matcher[]) {
    for (const [index, { anchors }] of all.entries())
      for (const key of anchors) this.byKey.set(key, [...(this.byKey.get(key) ?? []), index])
  }

  /** Indexes of the matchers that this block may anchor. */
  concernedBy(block: Block): readonly number[] {
    const byContent = this.byKey.get(block.opcode ?? block.type) ?? NONE
    if (block.deployed === undefined) return byContent
    return [...byContent, ...(this.byKey.get(DEPLOYING) ?? NONE)]
  }
}

const NONE: readonly number[] = []

/**
 * Runs the matchers in order, each once over the top-level blocks left by its predecessors. Throws
 * MatcherFault.
 */
export function runMatchers(root: Block, matchers: MatcherList, facts: ContractFacts): void {
  const surface = new Surface(root, matchers)
  for (const [index, matcher] of matchers.all.entries()) {
    if (!surface.concerns(index)) continue
    for (const anchor of surface.candidates(matcher.anchors)) {
      if (anchor.absorbedBy) continue
      try {
        for (const composite of tryMatcher(matcher, anchor, facts)) surface.add(composite)
      } catch (error) {
        if (error instanceof Unfit || error instanceof DecodeError) continue
        throw new MatcherFault(matcher.name, anchor, error)
      }
    }
  }
}

function tryMatcher(matcher: Matcher, anchor: Block, facts: ContractFacts): Block[] {
  const captures = matchAt(anchor, matcher.pattern, facts)
  if (!captures) return []
  if (matcher.anchorLeftovers) for (const block of leftovers(anchor)) captures.add(block, undefined)
  const drafts = matcher.build({ anchor, captures, facts }) ?? []
  const made: Block[] = []
  for (const draft of 'type' in drafts ? [drafts] : drafts) {
    const absorbed = draft.absorb ?? [anchor, ...captures.blocks(), ...(draft.also ?? [])]
    const columns = draft.columns()
    const composite = contract(new Set(absorbed), { ...draft, columns: () => columns })
    if (composite) made.push(composite)
  }
  return made
}

/** Candidates by opcode and type, so that a matcher examines only blocks where it may fit. */
class Surface {
  private readonly byKey = new Map<AnchorKey, Block[]>()
  private readonly root: Block
  private readonly matchers: MatcherList
  private readonly concerned: Uint8Array

  constructor(root: Block, matchers: MatcherList) {
    this.root = root
    this.matchers = matchers
    this.concerned = new Uint8Array(matchers.all.length)
    for (const block of breadthFirst(root)) if (block !== root) this.add(block)
  }

  add(block: Block): void {
    const concerned = this.matchers.concernedBy(block)
    if (concerned.length === 0) return
    for (const index of concerned) this.concerned[index] = 1
    this.put(block.opcode ?? block.type, block)
    if (block.deployed !== undefined) this.put(DEPLOYING, block)
  }

  /** True if a block may have anchored the matcher at this index. */
  concerns(index: number): boolean {
    return this.concerned[index] === 1
  }

  /** Breadth-first, at this moment. */
  candidates(keys: readonly AnchorKey[]): Block[] {
    const found = keys.flatMap((key) => (this.byKey.get(key) ?? []).filter((block) => !block.absorbedBy))
    if (found.length < 2) return found
    const wanted = new Set(found)
    return breadthFirst(this.root).filter((block) => wanted.has(block))
  }

  private put(key: AnchorKey, block: Block): void {
    const known = this.byKey.get(key)
    if (known) known.push(block)
    else this.byKey.set(key, [block])
  }
}
