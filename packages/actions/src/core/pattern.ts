import type { ContractFacts } from '../facts.ts'
import type { TonTransfer } from './basic.ts'
import { type Block, TON } from './block.ts'

/** Whether a block fits. Facts of an account may be missing: nothing is known of it. */
export type Predicate = (block: Block, facts: ContractFacts) => boolean

/**
 * A shape in the block tree, as data. `match` interprets it. `all`: every direct child is tried; those that
 * fit are captured, and at least one must. `list`: each pattern in turn takes the first remaining child that
 * fits; other children stay outside.
 */
export interface Pattern {
  readonly test?: Predicate
  /** The first match decides; alternatives are tried with their own children and parents. */
  readonly either?: readonly Pattern[]
  readonly children?: { readonly mode: 'all' | 'list'; readonly items: readonly Pattern[] }
  readonly parent?: Pattern
  /** Follows blocks that fit `step` downwards until one fits `end`. */
  readonly chain?: { readonly step: Pattern; readonly end: Pattern }
  readonly label?: string
  readonly optional?: boolean
  /** Leaves excess messages below the block out of the composite. */
  readonly keepExcess?: boolean
  /** Defers a recursive pattern. */
  readonly defer?: () => Pattern
}

/** Call blocks with one of these opcodes; logs and external-in messages are call blocks too. */
export const call = (...opcodes: readonly number[]): Pattern =>
  opcodes.length === 1
    ? { test: (block) => block.opcode === opcodes[0] }
    : { test: (block) => block.opcode !== undefined && opcodes.includes(block.opcode) }

/** The same test; the name shows that the message leaves the chain. */
export const log = call

/** A call block of any opcode. */
export const anyCall: Pattern = { test: (block) => block.isCall }
export const anyBlock: Pattern = { test: () => true }
/** Any block that fits the test. */
export const where = (test: Predicate): Pattern => ({ test })

/** A composite of this block type. */
export const built = (type: string, test?: Predicate): Pattern => ({
  test: (block, facts) => block.type === type && (test === undefined || test(block, facts)),
})

/** A plain transfer of TON. */
export const ton: Pattern = { test: (block) => block.type === TON }

/** A plain transfer with exactly one of these comments. */
export const tonWithComment = (...comments: readonly string[]): Pattern => ({
  test: (block) => block.type === TON && comments.includes(commentOf(block) ?? ''),
})

/** Comment of a plain transfer of TON; undefined for other blocks. */
export const commentOf = (block: Block): string | undefined =>
  block.type === TON ? (block.data as TonTransfer).comment()?.text : undefined

/** The first that fits. */
export const either = (...patterns: readonly Pattern[]): Pattern => ({ either: patterns })
/** A part that may be missing. */
export const maybe = (pattern: Pattern): Pattern => ({ ...pattern, optional: true })
/** Captures the block under a label, by which `Captures` finds it. */
export const as = (label: string, pattern: Pattern): Pattern => ({ ...pattern, label })
/** `end`, below any number of blocks that fit `step`. */
export const chain = (step: Pattern, end: Pattern): Pattern => ({ chain: { step, end } })
/** For a pattern that contains itself. */
export const defer = (make: () => Pattern): Pattern => ({ defer: make })

/** `X > Y`. */
export const over = (pattern: Pattern, child: Pattern): Pattern => ({
  ...pattern,
  children: { mode: 'all', items: [child] },
})

/** `X > [A, B?, C]`. */
export const overList = (pattern: Pattern, ...items: readonly Pattern[]): Pattern => ({
  ...pattern,
  children: { mode: 'list', items },
})

/** `X ^ P`. */
export const under = (pattern: Pattern, parent: Pattern): Pattern => ({ ...pattern, parent })
