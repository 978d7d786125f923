import { type Cell, type Slice, serializeBoc, sliceToCell } from '@shardwalk/cells'
import { DecodeError, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { Block } from './core/block.ts'
import { Unfit } from './core/matcher.ts'
import type { Address } from './trace.ts'

/** Reader over the block's message body after the opcode. Throws DecodeError. */
export const bodyOf = (block: Block): Slice => block.node.body().skip(32)

/** What a reader of `packages/contracts` finds in the block's message body. Throws DecodeError. */
export const fieldsOf = <T>(block: Block, read: (body: Slice) => T): T => read(bodyOf(block))

/** Raw form, as rows have it; null for no address. */
export const textOf = (address: RawAddress | undefined): Address | null =>
  address ? formatRawAddress(address) : null

/** A payload carried in a message. */
export class Payload {
  private readonly content: Slice

  constructor(content: Slice) {
    this.content = content.clone()
  }

  get isEmpty(): boolean {
    return this.content.remainingBits === 0
  }

  /** First 32 bits; undefined when there are fewer. */
  get opcode(): number | undefined {
    return this.content.remainingBits < 32 ? undefined : this.content.preloadUint(32)
  }

  /** A new reader, opcode included. */
  slice(): Slice {
    return this.content.clone()
  }

  /** A new reader after the opcode. */
  afterOpcode(): Slice {
    return this.content.clone().skip(32)
  }

  /** Base64 of a bag of cells with CRC32C. */
  toBoc(): string {
    return cellToBoc(sliceToCell(this.content))
  }
}

/** Base64 with CRC32C, as payloads of tokens are stored. */
export const cellToBoc = (cell: Cell): string => serializeBoc([cell], { crc32c: true }).toString('base64')

/** Base64 without CRC32C, as orders and wrapped messages are stored. */
export const cellToPlainBoc = (cell: Cell): string => serializeBoc([cell]).toString('base64')

/** Hexadecimal without padding, as the API has always printed these numbers. */
export const bareHex = (value: bigint): string => value.toString(16)
/** The same after `0x`. */
export const prefixedHex = (value: bigint): string => `0x${value.toString(16)}`

/** Result of a reader on data that may be damaged; undefined when it is. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError || error instanceof Unfit) return undefined
    throw error
  }
}
