import { DecodeError, type RawAddress } from '@shardwalk/model'
import { type BitString, copyBits } from './bit-string.ts'
import type { Slice } from './slice.ts'

/**
 * block.tlb `MsgAddress`. In `std` and `var` addresses the anycast prefix already replaces the first bits.
 */
export type MsgAddress =
  | { readonly type: 'none' }
  | { readonly type: 'extern'; readonly bits: BitString }
  | { readonly type: 'std'; readonly address: RawAddress; readonly anycast?: BitString }
  | {
      readonly type: 'var'
      readonly workchain: number
      readonly bits: BitString
      readonly anycast?: BitString
    }

const NONE: MsgAddress = { type: 'none' }

/** Reads an address of any form. Throws `DecodeError`. */
export function loadMsgAddress(slice: Slice): MsgAddress {
  switch (slice.loadUint(2)) {
    case 0:
      return NONE
    case 1:
      return { type: 'extern', bits: slice.loadBits(slice.loadUint(9)) }
    case 2: {
      const anycast = loadAnycast(slice)
      const address = { workchain: slice.loadInt(8), hash: slice.loadBytes(32) }
      if (anycast) rewrite(address.hash, anycast)
      return anycast ? { type: 'std', address, anycast } : { type: 'std', address }
    }
    default: {
      const anycast = loadAnycast(slice)
      const length = slice.loadUint(9)
      const workchain = slice.loadInt(32)
      const bits = slice.loadBits(length)
      if (anycast && anycast.bits > length)
        throw new DecodeError('addr_var', 'anycast prefix is longer than the address')
      if (anycast) rewrite(bits.bytes, anycast)
      return anycast ? { type: 'var', workchain, bits, anycast } : { type: 'var', workchain, bits }
    }
  }
}

/** The address if it is `addr_std`; undefined for every other form. */
export function loadStdAddress(slice: Slice): RawAddress | undefined {
  // A cell may end with `addr_none`, which has two bits.
  if (slice.remainingBits > 2 && slice.preloadUint(3) === 0b100)
    return { workchain: slice.skip(3).loadInt(8), hash: slice.loadBytes(32) }
  const address = loadMsgAddress(slice)
  return address.type === 'std' ? address.address : undefined
}

/** `anycast_info$_ depth:(#<= 30) { depth >= 1 } rewrite_pfx:(bits depth)`. */
function loadAnycast(slice: Slice): BitString | undefined {
  if (!slice.loadBit()) return undefined
  const depth = slice.loadUint(5)
  if (depth < 1 || depth > 30) throw new DecodeError('anycast_info.depth', `${depth} is not in 1…30`)
  return slice.loadBits(depth)
}

function rewrite(target: Buffer, { bits, bytes }: BitString): void {
  const head = Buffer.alloc((bits + 7) >> 3)
  copyBits(bytes, 0, head, bits)
  const whole = bits >> 3
  head.copy(target, 0, 0, whole)
  const rest = bits & 7
  if (rest !== 0) target[whole] = head[whole]! | (target[whole]! & (0xff >> rest))
}
