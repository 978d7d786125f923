import { BOUNCES, JETTON } from '@shardwalk/contracts'
import type { ContractFacts } from '../facts.ts'
import { type Block, byLt } from './block.ts'
import type { Pattern } from './pattern.ts'

/** The blocks captured by a pattern, in order, without the anchor. */
export class Captures {
  private readonly taken: { readonly block: Block; readonly label: string | undefined }[] = []

  get size(): number {
    return this.taken.length
  }

  add(block: Block, label: string | undefined): void {
    this.taken.push({ block, label })
  }

  rewind(size: number): void {
    this.taken.length = size
  }

  has(block: Block): boolean {
    return this.taken.some((taken) => taken.block === block)
  }

  since(size: number): Block[] {
    return this.taken.slice(size).map(({ block }) => block)
  }

  blocks(): Block[] {
    return this.since(0)
  }

  /** Every block under the label, by lt. */
  all(label: string): Block[] {
    const found = new Set<Block>()
    for (const taken of this.taken) if (taken.label === label) found.add(taken.block)
    return [...found].sort(byLt)
  }

  /** The earliest block under the label. */
  find(label: string): Block | undefined {
    return this.all(label)[0]
  }

  calls(...opcodes: readonly number[]): Block[] {
    const found = new Set<Block>()
    for (const { block } of this.taken)
      if (block.opcode !== undefined && opcodes.includes(block.opcode)) found.add(block)
    return [...found].sort(byLt)
  }

  call(...opcodes: readonly number[]): Block | undefined {
    return this.calls(...opcodes)[0]
  }

  ofType(type: string): Block[] {
    return [...new Set(this.blocks().filter((block) => block.type === type))].sort(byLt)
  }
}

/** Tries the pattern with `anchor` as its first element. Undefined when it does not match. */
export function matchAt(anchor: Block, pattern: Pattern, facts: ContractFacts): Captures | undefined {
  const captures = new Captures()
  return fits(anchor, pattern, { facts, captures, depth: 0 }) ? captures : undefined
}

interface Attempt {
  readonly facts: ContractFacts
  readonly captures: Captures
  /** Nesting depth of the elements being tried. */
  depth: number
}

/** About sixty hops of a recursive pattern; real chains have fewer than ten. Deeper patterns do not match. */
const MAX_DEPTH = 400

/** Tests the element and its surroundings; captures of a failed attempt are undone. */
function fits(block: Block, pattern: Pattern, attempt: Attempt): boolean {
  if (attempt.depth >= MAX_DEPTH) return false
  const mark = attempt.captures.size
  attempt.depth++
  const ok =
    (pattern.defer === undefined || fits(block, pattern.defer(), attempt)) &&
    (pattern.test === undefined || pattern.test(block, attempt.facts)) &&
    (pattern.either === undefined ||
      pattern.either.some((option) => fitsAlternative(block, option, attempt))) &&
    fitsChildren(block, pattern, attempt) &&
    fitsParent(block, pattern, attempt)
  attempt.depth--
  if (!ok) attempt.captures.rewind(mark)
  return ok
}

/** An alternative may have a label of its own. */
function fitsAlternative(block: Block, option: Pattern, attempt: Attempt): boolean {
  if (option.chain) return takeChain(block, option.chain, attempt)
  if (!fits(block, option, attempt)) return false
  if (option.label !== undefined) attempt.captures.add(block, option.label)
  return true
}

function fitsChildren(block: Block, pattern: Pattern, attempt: Attempt): boolean {
  if (!pattern.children) return true
  const { mode, items } = pattern.children
  if (mode === 'list') return takeInOrder(block, items, attempt)
  let found = false
  for (const child of block.next) if (take(child, items[0]!, attempt)) found = true
  return found || items[0]!.optional === true
}

function takeInOrder(block: Block, items: readonly Pattern[], attempt: Attempt): boolean {
  const taken = new Set<Block>()
  for (const item of items) {
    const child = block.next.find((candidate) => !taken.has(candidate) && take(candidate, item, attempt))
    if (child) taken.add(child)
    else if (item.optional !== true) return false
  }
  return true
}

function fitsParent(block: Block, pattern: Pattern, attempt: Attempt): boolean {
  if (!pattern.parent) return true
  const parent = block.previous
  const found = parent?.previous !== undefined && take(parent, pattern.parent, attempt)
  return found || pattern.parent.optional === true
}

/** An inner element: on success the block and its excess and bounce messages are captured. */
function take(block: Block, pattern: Pattern, attempt: Attempt): boolean {
  if (pattern.chain) return takeChain(block, pattern.chain, attempt)
  if (!fits(block, pattern, attempt)) return false
  attempt.captures.add(block, pattern.label)
  for (const child of leftovers(block, pattern.keepExcess === true)) attempt.captures.add(child, undefined)
  return true
}

/** Excess and bounce messages below a block. */
export const leftovers = (block: Block, keepExcess = false): Block[] =>
  block.next.filter(
    ({ opcode = -1 }) => BOUNCES.includes(opcode) || (opcode === JETTON.excesses && !keepExcess),
  )

/** Maximum number of steps of a chain; real ones have fewer than ten. Further steps are not examined. */
const MAX_STEPS = 100

/** One block suffices; a matcher that needs the end checks for it when building. */
function takeChain(start: Block, { step, end }: { step: Pattern; end: Pattern }, attempt: Attempt): boolean {
  const first = attempt.captures.size
  let candidates: readonly Block[] = [start]
  for (let steps = 0; candidates.length > 0 && steps < MAX_STEPS; steps++) {
    const mark = attempt.captures.size
    const onward: Block[] = []
    for (const candidate of candidates) {
      if (take(candidate, end, attempt)) return true
      if (!take(candidate, step, attempt)) continue
      const taken = attempt.captures.since(mark)
      for (const block of taken)
        for (const child of block.next) if (!attempt.captures.has(child)) onward.push(child)
      break
    }
    candidates = onward
  }
  return attempt.captures.size > first
}
