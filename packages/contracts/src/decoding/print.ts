import type { BodySlice } from './body-slice.ts'
import { NO_FIT } from './body-slice.ts'
import type { DecodeContext } from './context.ts'
import type { Json, JsonObject } from './json.ts'

/**
 * block.tlb `VarUInteger n`: length in bytes, then the value. Leading zero bytes are accepted, as the chain
 * accepts them.
 */
export function printVarUint(slice: BodySlice, limit: number): JsonObject {
  const bytes = slice.uint(bitLength(limit - 1))
  if (bytes >= limit) throw NO_FIT
  return { '@type': 'var_uint', len: String(bytes), value: String(slice.big(bytes * 8)) }
}

/** `Coins` and `Grams` are two names for the same layout. */
export function printAmount(slice: BodySlice, kind: 'coins' | 'grams'): JsonObject {
  return { '@type': kind === 'coins' ? 'nanocoins' : 'nanograms', amount: printVarUint(slice, 16) }
}

/** block.tlb `CurrencyCollection`. */
export function printCurrencies(slice: BodySlice, context: DecodeContext): JsonObject {
  const grams = printAmount(slice, 'grams')
  const dict = printDict(slice, context, {
    keyBits: 32,
    isBare: false,
    value: (leaf) => printVarUint(leaf, 32),
  })
  return { '@type': 'currencies', grams, other: { '@type': 'extra_currencies', dict } }
}

const NOTHING: JsonObject = { '@type': 'nothing_from_maybe' }

/** block.tlb `MsgAddress`, `MsgAddressInt`, `MsgAddressExt`. */
export function printAddress(slice: BodySlice, kind: 'addr' | 'addrInt' | 'addrExt'): JsonObject {
  const tag = slice.uint(2)
  if (tag < 2 ? kind === 'addrInt' : kind === 'addrExt') throw NO_FIT
  if (tag === 0) return { '@type': 'addr_none' }
  if (tag === 1) {
    const len = slice.uint(9)
    return { '@type': 'addr_external', len: String(len), external_address: slice.hex(len) }
  }
  const anycast = slice.bit()
    ? { '@type': 'something_from_maybe', value: printAnycast(slice) }
    : { ...NOTHING }
  if (tag === 2) {
    const workchain = (slice.uint(8) << 24) >> 24
    return { '@type': 'addr_std', anycast, workchain_id: String(workchain), address: slice.hex(256) }
  }
  const length = slice.uint(9)
  const workchain = slice.uint(32) | 0
  return {
    '@type': 'addr_var',
    anycast,
    addr_len: String(length),
    workchain_id: String(workchain),
    address: slice.hex(length),
  }
}

/** block.tlb `anycast_info$_ depth:(#<= 30) { depth >= 1 } rewrite_pfx:(bits depth)`. */
function printAnycast(slice: BodySlice): JsonObject {
  const depth = slice.uint(5)
  if (depth < 1 || depth > 30) throw NO_FIT
  return { '@type': 'anycast_info', depth: String(depth), rewrite_pfx: slice.hex(depth) }
}

interface DictShape {
  readonly keyBits: number
  /** Set for `Hashmap`, cleared for `HashmapE`: the root edge has no presence bit. */
  readonly isBare: boolean
  readonly value: (leaf: BodySlice) => Json
}

/**
 * The raw tree of block.tlb `Hashmap` or `HashmapE`. Keys are not restored, because clients expect this form.
 */
export function printDict(slice: BodySlice, context: DecodeContext, shape: DictShape): JsonObject {
  if (shape.isBare) return printEdge(slice, context, shape.keyBits, shape.value)
  if (!slice.bit()) return { '@type': 'hashmap_empty' }
  const root = context.inside(slice.ref(), (inner) => printEdge(inner, context, shape.keyBits, shape.value))
  return { '@type': 'hashmap_root', root }
}

function printEdge(
  slice: BodySlice,
  context: DecodeContext,
  keyBits: number,
  value: DictShape['value'],
): JsonObject {
  context.spend(3)
  const { label, bits } = printLabel(slice, keyBits)
  const left = keyBits - bits
  if (left === 0)
    return { '@type': 'hashmap_edge', label, node: { '@type': 'hashmap_node_leaf', value: value(slice) } }
  const child = () => context.inside(slice.ref(), (inner) => printEdge(inner, context, left - 1, value))
  return {
    '@type': 'hashmap_edge',
    label,
    node: { '@type': 'hashmap_node_fork', left: child(), right: child() },
  }
}

/** block.tlb `HmLabel`. */
function printLabel(slice: BodySlice, limit: number): { label: JsonObject; bits: number } {
  if (!slice.bit()) {
    let bits = 0
    while (slice.bit()) bits++
    if (bits > limit) throw NO_FIT
    return { bits, label: { '@type': 'hashmap_label_short', len: printUnary(bits), s: slice.hex(bits) } }
  }
  const same = slice.bit()
  const bit = same ? slice.uint(1) : 0
  const bits = slice.uint(bitLength(limit))
  if (bits > limit) throw NO_FIT
  if (same) return { bits, label: { '@type': 'hashmap_label_same', v: String(bit), n: String(bits) } }
  return { bits, label: { '@type': 'hashmap_label_long', n: String(bits), s: slice.hex(bits) } }
}

function printUnary(count: number): JsonObject {
  let unary: JsonObject = { '@type': 'unary_zero' }
  for (let i = 0; i < count; i++) unary = { '@type': 'unary_succ', x: unary }
  return unary
}

/** Number of bits of `#<= limit`. */
const bitLength = (limit: number): number => 32 - Math.clz32(limit)
