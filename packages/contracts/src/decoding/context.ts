import { type Cell, serializeBoc } from '@shardwalk/cells'
import { BodySlice, NO_FIT } from './body-slice.ts'
import type { Json, JsonObject } from './json.ts'

/** Nesting limit for cells that are themselves decoded as bodies. Fixed by the indexed API. */
const MAX_EMBEDDED_DEPTH = 10
/** Limit of references followed below one body. An action list may hold 255 actions, one reference each. */
const MAX_REFERENCE_DEPTH = 320
/**
 * Limit of steps per body: fields, dictionary nodes, cells and groups of eight characters. With shared
 * subtrees 50 cells can describe 2^50 fields; the largest message that the chain accepts (8,192 cells, 256
 * KB) stays below the limit. A step takes about 150 ns.
 */
const MAX_STEPS = 80_000

/** Steps that remain for a list of bodies decoded together. */
export interface StepBudget {
  left: number
}

/** Limits and results of decoding one body. */
export class DecodeContext {
  private steps = 0
  private referenceDepth = 0
  private embeddedDepth = 0
  /** A text in the body is not UTF-8. For such a body TON Center returns invalid JSON. */
  hasBrokenText = false

  constructor(
    private readonly decodeRoot: (cell: Cell, context: DecodeContext) => JsonObject | undefined,
    private readonly budget?: StepBudget,
  ) {}

  /** Throws `NO_FIT` when the budget is exhausted. */
  spend(steps: number): void {
    this.steps += steps
    if (this.budget) this.budget.left -= steps
    if (this.steps > MAX_STEPS || (this.budget && this.budget.left < 0)) throw NO_FIT
  }

  /** Opens a cell for reading; an exotic cell has no fields. */
  open(cell: Cell): BodySlice {
    if (cell.isExotic) throw NO_FIT
    this.spend(1)
    return new BodySlice(cell)
  }

  /** Reads a referenced cell. Bits that the layout does not name are ignored, as at the root. */
  inside<T>(cell: Cell, read: (slice: BodySlice) => T): T {
    if (this.referenceDepth >= MAX_REFERENCE_DEPTH) throw NO_FIT
    this.referenceDepth++
    try {
      return read(this.open(cell))
    } finally {
      this.referenceDepth--
    }
  }

  text(bytes: Buffer): string {
    const text = bytes.toString('utf8')
    if (text.includes('\uFFFD') && !Buffer.from(text, 'utf8').equals(bytes)) this.hasBrokenText = true
    return text
  }

  /** A cell of unknown type: decoded as a body if possible, otherwise its bag of cells in base64. */
  embedded(cell: Cell): Json {
    this.spend(1)
    return this.decodeEmbedded(cell) ?? this.printBag(cell)
  }

  private decodeEmbedded(cell: Cell): JsonObject | undefined {
    if (this.embeddedDepth >= MAX_EMBEDDED_DEPTH || this.referenceDepth >= MAX_REFERENCE_DEPTH)
      return undefined
    const outer = this.hasBrokenText
    this.hasBrokenText = false
    this.embeddedDepth++
    this.referenceDepth++
    try {
      const decoded = this.decodeRoot(cell, this)
      return this.hasBrokenText ? undefined : decoded
    } finally {
      this.embeddedDepth--
      this.referenceDepth--
      this.hasBrokenText = outer
    }
  }

  private printBag(cell: Cell): string {
    const text = serializeBoc(cell, { crc32c: true }).toString('base64')
    this.spend(text.length >> 3)
    return text
  }
}
