import { CELL } from './levels.ts'
import type { Slice } from './slice.ts'

/** Contracts do not always write valid snakes, so each reader decides what it accepts. */
export interface SnakeOptions {
  /**
   * Treatment of a cell without whole bytes: `refuse` the snake, `drop` the odd bits of the cell, or
   * `join` the bits of all cells, which together must then be whole bytes.
   */
  readonly oddBits?: 'refuse' | 'drop' | 'join'
  /** Whether a reference to an exotic cell makes the snake unreadable or only ends it. */
  readonly exotic?: 'refuse' | 'stop'
  /** Omits the cell that would exceed this length, and all cells after it. */
  readonly maxBytes?: number
  /** Called with the number of bits of each cell before it is read; may throw to abort. */
  readonly onCell?: (bits: number) => void
}

/** Data of a snake, joined. */
export interface Snake {
  readonly bytes: Buffer
  /** Whether cells were omitted because of `maxBytes`. */
  readonly isCut: boolean
}

/**
 * Reads snake data: the bytes of this cell, then those of its first reference, and so on. Undefined if the
 * options refuse it. Source: TEP-64, "Snake format", `tail#_ b:(bits bn) = SnakeData ~0; cons#_ b:(bits bn)
 * next:^(SnakeData ~n)`.
 */
export function loadSnake(
  start: Slice,
  { oddBits = 'refuse', exotic = 'refuse', maxBytes = Number.POSITIVE_INFINITY, onCell }: SnakeOptions = {},
): Snake | undefined {
  const parts = new Parts(oddBits)
  for (let slice: Slice | undefined = start; slice; ) {
    onCell?.(slice.remainingBits)
    if (parts.bytes + slice.remainingBits / 8 > maxBytes) return parts.end(true)
    if (!parts.add(slice)) return undefined
    if (slice.remainingRefs === 0) break
    if (slice.refType() !== CELL.ordinary) {
      if (exotic === 'refuse') return undefined
      break
    }
    slice = slice.loadRefSlice()
  }
  return parts.end(false)
}

class Parts {
  private readonly parts: Buffer[] = []
  private bits = 0
  /** Pending bits that do not fill a byte yet; used when joining. */
  private odd = 0

  constructor(private readonly oddBits: 'refuse' | 'drop' | 'join') {}

  get bytes(): number {
    return this.bits / 8
  }

  /** Returns false if the cell is refused. */
  add(slice: Slice): boolean {
    const odd = slice.remainingBits % 8
    if (this.oddBits === 'refuse' && odd !== 0) return false
    if (this.oddBits === 'join' && (odd !== 0 || this.bits % 8 !== 0)) this.join(slice)
    else this.push(slice.loadBytes(slice.remainingBits >> 3))
    return true
  }

  end(isCut: boolean): Snake | undefined {
    return this.bits % 8 === 0 ? { bytes: Buffer.concat(this.parts), isCut } : undefined
  }

  private push(bytes: Buffer): void {
    this.parts.push(bytes)
    this.bits += bytes.length * 8
  }

  private join(slice: Slice): void {
    const bytes: number[] = []
    while (slice.remainingBits > 0) {
      this.odd = ((this.odd << 1) | Number(slice.loadBit())) & 0xff
      if (++this.bits % 8 === 0) bytes.push(this.odd)
    }
    this.parts.push(Buffer.from(bytes))
  }
}
