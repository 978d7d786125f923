import { DecodeError } from '@shardwalk/model'
import { IntermediateSymbols } from './code.ts'
import { scale } from './octets.ts'
import { MAX_SYMBOLS } from './parameters.ts'

/** What sender and receiver of a block agree on. */
export interface BlockShape {
  /** Bytes. */
  readonly dataSize: number
  /** Bytes of a symbol, a multiple of four. */
  readonly symbolSize: number
}

/** Source symbols of a block. Throws `DecodeError` if the shape is impossible. */
export function symbolCount({ dataSize, symbolSize }: BlockShape): number {
  if (!Number.isInteger(symbolSize) || symbolSize < 4 || symbolSize % 4 !== 0)
    throw new DecodeError('raptorq.symbol_size', `${symbolSize} is not a positive multiple of 4`)
  const count = Math.ceil(dataSize / symbolSize)
  if (!Number.isInteger(dataSize) || count < 1 || count > MAX_SYMBOLS)
    throw new DecodeError('raptorq.data_size', `${dataSize} bytes do not fit 1 to ${MAX_SYMBOLS} symbols`)
  return count
}

/** Makes encoding symbols of a block. */
export class BlockEncoder {
  private readonly padded: Buffer
  private intermediate: IntermediateSymbols | undefined

  constructor(
    data: Uint8Array,
    private readonly symbolSize: number,
  ) {
    const count = symbolCount({ dataSize: data.length, symbolSize })
    this.padded = Buffer.alloc(count * symbolSize)
    this.padded.set(data)
  }

  /** Source symbols are the data, the last one filled up with zeros. Symbols beyond them are computed. */
  symbol(seqno: number): Buffer {
    const { padded, symbolSize } = this
    const start = seqno * symbolSize
    if (start < padded.length) return padded.subarray(start, start + symbolSize)
    if (padded.length === symbolSize) return multipleOf(padded, seqno)
    this.intermediate ??= this.solve()
    return bytesOf(this.intermediate.symbol(seqno))
  }

  private solve(): IntermediateSymbols {
    const { padded, symbolSize } = this
    const count = padded.length / symbolSize
    const symbols = new Map<number, Int32Array>()
    for (let seqno = 0; seqno < count; seqno++) symbols.set(seqno, wordsOf(this.symbol(seqno)))
    const solved = IntermediateSymbols.solve(count, symbols, symbolSize / 4)
    // RFC 6330 chooses J(K') such that the source symbols determine all others.
    if (!solved) throw new Error(`${count} source symbols do not determine the intermediate symbols`)
    return solved
  }
}

/** Of a block that is the number 1. */
let ofOne: IntermediateSymbols | undefined

/**
 * A symbol of a block that has only one: all are multiples of it. Most queries are such blocks, and solving
 * equations for each that is repeated would take milliseconds.
 */
function multipleOf(source: Buffer, seqno: number): Buffer {
  ofOne ??= IntermediateSymbols.solve(1, new Map([[0, Int32Array.of(1)]]), 1)!
  const multiple = wordsOf(Buffer.from(source))
  scale(multiple, ofOne.symbol(seqno)[0]!)
  return bytesOf(multiple)
}

/**
 * Restores a block from any symbols, slightly more than it has source symbols. Symbols are trusted: what is
 * decoded must be compared with a hash.
 */
export class BlockDecoder {
  /** Source symbols of the block. */
  readonly symbolCount: number
  private readonly symbols = new Map<number, Buffer>()
  private sourceCount = 0

  /** Throws `DecodeError` if the shape is impossible. */
  constructor(private readonly shape: BlockShape) {
    this.symbolCount = symbolCount(shape)
  }

  /** Number of distinct symbols. */
  get received(): number {
    return this.symbols.size
  }

  /** Records a symbol; false if it is known already. Throws `DecodeError` if its length is wrong. */
  add(seqno: number, symbol: Uint8Array): boolean {
    if (symbol.length !== this.shape.symbolSize)
      throw new DecodeError('raptorq.data', `${symbol.length} bytes instead of ${this.shape.symbolSize}`)
    if (this.symbols.has(seqno)) return false
    // A copy, because the caller may reuse the memory, and aligned to words.
    this.symbols.set(seqno, Buffer.from(Uint8Array.from(symbol).buffer))
    if (seqno < this.symbolCount) this.sourceCount++
    return true
  }

  /** The data; undefined if more symbols are needed. Cheap as long as there are too few. */
  decode(): Buffer | undefined {
    const { symbolCount, symbols } = this
    if (symbols.size < symbolCount) return undefined
    const solved = this.sourceCount === symbolCount ? undefined : this.solve()
    if (!solved && this.sourceCount < symbolCount) return undefined
    const { dataSize, symbolSize } = this.shape
    const data = Buffer.alloc(symbolCount * symbolSize)
    for (let seqno = 0; seqno < symbolCount; seqno++)
      data.set(symbols.get(seqno) ?? bytesOf(solved!.symbol(seqno)), seqno * symbolSize)
    return data.subarray(0, dataSize)
  }

  private solve(): IntermediateSymbols | undefined {
    const known = new Map([...this.symbols].map(([seqno, symbol]) => [seqno, wordsOf(symbol)]))
    return IntermediateSymbols.solve(this.symbolCount, known, this.shape.symbolSize / 4)
  }
}

/** A view where the bytes are aligned to words, else a copy. */
function wordsOf(bytes: Buffer): Int32Array {
  if (bytes.byteOffset % 4 === 0) return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return new Int32Array(Uint8Array.from(bytes).buffer)
}

function bytesOf(words: Int32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength)
}
