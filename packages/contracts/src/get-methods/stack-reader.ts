import { type Cell, loadMsgAddress } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import type { StackValue } from './stack.ts'

/**
 * Kinds of results. `address`: an `addr_std` (anycast applied); with `?` also `addr_none` or null, which give
 * undefined. `cell?` accepts null. `slice`: a cell with exactly the contents of the slice.
 */
interface Kinds {
  int: bigint
  bool: boolean
  address: RawAddress
  'address?': RawAddress | undefined
  cell: Cell
  'cell?': Cell | undefined
  slice: Cell
  any: StackValue
}

type Shape = Readonly<Record<string, keyof Kinds>>

/**
 * Named results of a get-method, bottom of the stack first. Undefined when there are too few or one has
 * another type; additional ones are ignored.
 */
export function readStack<S extends Shape>(
  stack: readonly StackValue[] | undefined,
  shape: S,
): { readonly [K in keyof S]: Kinds[S[K]] } | undefined {
  const entries = Object.entries(shape)
  if (!stack || stack.length < entries.length) return undefined
  const result: Record<string, unknown> = {}
  for (const [i, [name, kind]] of entries.entries()) {
    const value = READERS[kind](stack[i] as StackValue)
    if (value === MISMATCH) return undefined
    result[name] = value
  }
  return result as { [K in keyof S]: Kinds[S[K]] }
}

const MISMATCH = Symbol('another type')

const READERS: { readonly [K in keyof Kinds]: (value: StackValue) => Kinds[K] | typeof MISMATCH } = {
  int: (value) => (value.type === 'int' ? value.value : MISMATCH),
  bool: (value) => (value.type === 'int' ? value.value !== 0n : MISMATCH),
  address: (value) => readAddress(value) ?? MISMATCH,
  'address?': (value) => (value.type === 'null' ? undefined : readAddress(value)),
  cell: (value) => (value.type === 'cell' ? value.cell : MISMATCH),
  'cell?': (value) => (value.type === 'null' ? undefined : value.type === 'cell' ? value.cell : MISMATCH),
  slice: (value) => (value.type === 'slice' ? value.cell : MISMATCH),
  any: (value) => value,
}

/** Undefined for `addr_none`, which some contracts return as an empty slice. */
function readAddress(value: StackValue): RawAddress | undefined | typeof MISMATCH {
  if (value.type !== 'slice') return MISMATCH
  if (value.cell.bits === 0) return undefined
  try {
    const address = loadMsgAddress(value.cell.slice())
    return address.type === 'std' ? address.address : address.type === 'none' ? undefined : MISMATCH
  } catch (error) {
    if (error instanceof DecodeError) return MISMATCH
    throw error
  }
}
