import {
  type Cell,
  loadMsgAddress,
  loadStdAddress,
  type Slice,
  serializeBoc,
  sliceToCell,
} from '@shardwalk/cells'
import { DecodeError, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { Block } from './core/block.ts'
import { Unfit } from './core/matcher.ts'
import type { Address } from './trace.ts'

/** Reader over the block's message body after the opcode. Throws DecodeError. */
export const bodyOf = (block: Block): Slice => block.node.body().skip(32)

/** The same with `query_id:64` read. */
export function bodyWithQuery(block: Block): { readonly queryId: bigint; readonly body: Slice } {
  const body = bodyOf(block)
  return { queryId: body.loadUintBig(64), body }
}

/** Body after opcode and query id. */
export const bodyAfterQuery = (block: Block): Slice => bodyOf(block).skip(64)

export const textOf = (address: RawAddress | undefined): Address | null =>
  address ? formatRawAddress(address) : null

/** `MsgAddress`; null for everything that is not `addr_std`. */
export const loadAddress = (slice: Slice): Address | null => textOf(loadStdAddress(slice))

/** `MsgAddress` that may be external: `<bits>;<bits as a hexadecimal number>`. */
export function loadAnyAddress(slice: Slice): string | null {
  const address = loadMsgAddress(slice)
  if (address.type === 'std') return formatRawAddress(address.address)
  if (address.type !== 'extern') return null
  const { bits, bytes } = address.bits
  const padding = BigInt(bytes.length * 8 - bits)
  return `${bits};${(BigInt(`0x0${bytes.toString('hex')}`) >> padding).toString(16)}`
}

/** `Either X ^X`, the bit first; undefined when no bit is left. */
export function loadEither(slice: Slice): Slice | undefined {
  if (slice.remainingBits === 0) return undefined
  return slice.loadBit() ? slice.loadRefSlice() : slice
}

/** A payload that travels inside a message. */
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

  /** A fresh reader, opcode included. */
  slice(): Slice {
    return this.content.clone()
  }

  /** A fresh reader after the opcode. */
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

/** 24-bit two's complement. */
export const loadTick = (slice: Slice): number => slice.loadInt(24)

/** Hexadecimal without padding: how the API has always shown these numbers. */
export const bareHex = (value: bigint): string => value.toString(16)
export const prefixedHex = (value: bigint): string => `0x${value.toString(16)}`

/** Fills hash and workchain of an address that a body keeps as two numbers. */
export const addressOf = (workchain: number, hash: Buffer): Address => formatRawAddress({ workchain, hash })

/** Runs a reader on data that may be damaged; undefined if it is. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError || error instanceof Unfit) return undefined
    throw error
  }
}
