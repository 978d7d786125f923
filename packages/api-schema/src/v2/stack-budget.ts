import type { Cell } from '@shardwalk/cells'
import { cellText } from './objects.ts'
import { V2Refusal } from './refusal.ts'

/** Maximum size of a printed result, because shared cells can make it far larger than the result. */
export interface StackLimits {
  /** Cells printed as objects, counted at each reference. */
  readonly objects: number
  /** Characters of all bags of cells. */
  readonly characters: number
}

const LIMITS: StackLimits = { objects: 65_536, characters: 8 * 1024 * 1024 }

/** A result is too large to be printed within its limits. */
export class StackTooLarge extends V2Refusal {
  constructor(inner: string, status = 500) {
    super(inner, 'plain', status)
  }
}

/** The remaining limits of one result. */
export class StackBudget {
  private objects: number
  private characters: number

  constructor({ objects, characters }: StackLimits = LIMITS) {
    this.objects = objects
    this.characters = characters
  }

  /** Throws `StackTooLarge`. */
  spendObject(): void {
    if (--this.objects < 0) throw new StackTooLarge('result cells are too large to be shown as objects')
  }

  /** The cell as a bag, base64. Throws `StackTooLarge`. */
  text(cell: Cell): string {
    if (this.characters < 0) throw new StackTooLarge('result cells are too large to be shown')
    const text = cellText(cell)
    this.characters -= text.length
    return text
  }
}
