import { BlockDecoder, type BlockShape, symbolCount } from './source-block.ts'

/** What arrived of a block that is to be restored. */
export interface BlockSymbols extends BlockShape {
  /** Source symbols in their places; those that are missing hold zeros. */
  readonly source: Uint8Array
  /** Seqnos of the source symbols that are missing, ascending. */
  readonly missing: readonly number[]
  readonly repair: readonly { readonly seqno: number; readonly symbol: Uint8Array }[]
}

/** Runs `restoreBlock`, in a thread where others must not wait. */
export type RestoreBlock = (symbols: BlockSymbols) => Promise<Buffer | undefined>

/** Symbols beyond those of the source that are kept. With one or two, decoding nearly always succeeds. */
const MAX_SURPLUS = 10

/** Collects the symbols of a block in one buffer. */
export class BlockAssembly {
  private readonly source: Buffer
  private readonly present: Uint8Array
  private readonly repair = new Map<number, Buffer>()
  private sourceCount = 0
  private isDecoding = false
  /** Number of symbols at the last attempt to decode. */
  private triedWith = 0

  /** Throws `DecodeError` if the shape is impossible. */
  constructor(private readonly shape: BlockShape) {
    const count = symbolCount(shape)
    this.source = Buffer.alloc(count * shape.symbolSize)
    this.present = new Uint8Array(count)
  }

  /** Bytes that an assembly holds at most, its copy while it is restored included. */
  static memoryOf(shape: BlockShape): number {
    return (symbolCount(shape) + MAX_SURPLUS) * shape.symbolSize * 2
  }

  /** Records a symbol of the right length; false if there are more than any block needs. */
  add(seqno: number, symbol: Buffer): boolean {
    if (seqno < this.present.length) {
      if (this.present[seqno] === 1) return true
      this.source.set(symbol, seqno * this.shape.symbolSize)
      this.present[seqno] = 1
      this.sourceCount++
    } else if (this.received < this.present.length + MAX_SURPLUS) this.repair.set(seqno, Buffer.from(symbol))
    else return this.isDecoding
    return true
  }

  has(seqno: number): boolean {
    return this.present[seqno] === 1 || this.repair.has(seqno)
  }

  /** Symbols that it has. */
  get received(): number {
    return this.sourceCount + this.repair.size
  }

  /** Whether `restore` has a chance: one attempt at a time, and only with new symbols. */
  get isPromising(): boolean {
    return !this.isDecoding && this.received >= this.present.length && this.received > this.triedWith
  }

  /** The block; undefined if more symbols are needed. */
  async restore(restoreBlock: RestoreBlock): Promise<Buffer | undefined> {
    const { shape, source, present } = this
    for (; this.isPromising; ) {
      this.triedWith = this.received
      if (this.sourceCount === present.length) return source.subarray(0, shape.dataSize)
      this.isDecoding = true
      const missing = [...present.keys()].filter((seqno) => present[seqno] === 0)
      const repair = [...this.repair].map(([seqno, symbol]) => ({ seqno, symbol }))
      const block = await restoreBlock({ ...shape, source, missing, repair }).finally(() => {
        this.isDecoding = false
      })
      if (block) return block
    }
    return undefined
  }
}

/** The block; undefined if more symbols are needed. Takes tens of milliseconds for 2 MB with losses. */
export function restoreBlock({
  dataSize,
  symbolSize,
  source,
  missing,
  repair,
}: BlockSymbols): Buffer | undefined {
  const decoder = new BlockDecoder({ dataSize, symbolSize })
  const absent = new Set(missing)
  for (let seqno = 0; seqno < decoder.symbolCount; seqno++)
    if (!absent.has(seqno)) decoder.add(seqno, source.subarray(seqno * symbolSize, (seqno + 1) * symbolSize))
  for (const { seqno, symbol } of repair) decoder.add(seqno, symbol)
  return decoder.decode()
}
