import { Builder, type Cell, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'

/**
 * A value of the TVM stack. `cell` of a slice has exactly the contents of the slice; a continuation is
 * opaque. Source: block.tlb `VmStackValue`.
 */
export type StackValue =
  | { readonly type: 'null' }
  | { readonly type: 'nan' }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'cell' | 'slice' | 'builder'; readonly cell: Cell }
  | { readonly type: 'tuple'; readonly items: readonly StackValue[] }
  | { readonly type: 'cont' }

/** Limit of values in one stack, including those in tuples: TVM allows tuples of 255 values, nested. */
const MAX_VALUES = 20_000

/** Number of values that may still be read. */
interface Budget {
  left: number
  readonly max: number
}
const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n

/**
 * Reads block.tlb `VmStack`, bottom of the stack first. Throws DecodeError on a bad layout and on stacks with
 * more than `maxValues` values. Tuples are nested at most as deep as cells, so a list of pairs may be long.
 */
export function parseStack(slice: Slice, maxValues = MAX_VALUES): StackValue[] {
  const depth = slice.loadUint(24)
  const budget = { left: maxValues, max: maxValues }
  const values: StackValue[] = []
  let top = slice
  for (let i = 0; i < depth; i++) {
    const below = top.loadRefSlice()
    values.push(loadValue(top, budget))
    top = below
  }
  return values.reverse()
}

/**
 * Writes block.tlb `VmStack`. Throws DecodeError for values that cannot be arguments (continuations, integers
 * beyond 257 bits).
 */
export function storeStack(values: readonly StackValue[]): Cell {
  let rest = new Builder()
  for (const value of values) {
    const next = new Builder().storeRef(rest.endCell())
    storeValue(next, value)
    rest = next
  }
  return new Builder().storeUint(values.length, 24).storeBuilder(rest).endCell()
}

function loadValue(slice: Slice, budget: Budget): StackValue {
  if (--budget.left < 0) throw new DecodeError('vm_stack', `more than ${budget.max} values`)
  const tag = slice.loadUint(8)
  switch (tag) {
    case 0:
      return { type: 'null' }
    case 1:
      return { type: 'int', value: slice.loadIntBig(64) }
    case 2:
      // vm_stk_int#0201_ has 15 bits, vm_stk_nan#02ff has 16.
      return slice.loadUint(7) === 0 ? { type: 'int', value: slice.loadIntBig(257) } : { type: 'nan' }
    case 3:
      return { type: 'cell', cell: slice.loadRefCell() }
    case 4:
      return { type: 'slice', cell: loadCellSlice(slice) }
    case 5:
      return { type: 'builder', cell: slice.loadRefCell() }
    case 6:
      return { type: 'cont' }
    case 7:
      return { type: 'tuple', items: loadTuple(slice, budget) }
    default:
      throw new DecodeError('vm_stack_value', `unknown tag ${tag}`)
  }
}

/** block.tlb `VmCellSlice`: a cell and the range of its bits and references that belong to the slice. */
function loadCellSlice(slice: Slice): Cell {
  const firstBit = slice.loadUint(10)
  const endBit = slice.loadUint(10)
  const firstRef = slice.loadUint(3)
  const endRef = slice.loadUint(3)
  const whole = slice.loadRefCell()
  if (firstBit > endBit || firstRef > endRef) throw new DecodeError('vm_cell_slice', 'ends before it starts')
  if (firstBit === 0 && firstRef === 0 && endBit === whole.bits && endRef === whole.refs.length) return whole
  // The slice of an exotic cell holds its raw data.
  const inner = whole.exoticSlice().skip(firstBit).skipRefs(firstRef)
  const part = new Builder().storeBits(inner.loadBits(endBit - firstBit))
  for (let i = firstRef; i < endRef; i++) part.storeRef(inner.loadRefCell())
  return part.endCell()
}

function loadTuple(slice: Slice, budget: Budget): StackValue[] {
  const length = slice.loadUint(16)
  const load = (from: Slice): StackValue => loadValue(from, budget)
  if (length === 0) return []
  if (length === 1) return [load(slice.loadRefSlice())]
  const items: StackValue[] = []
  let head = slice
  for (let left = length; left >= 2; left--) {
    const before = head.loadRefSlice()
    items.push(load(head.loadRefSlice()))
    head = before
  }
  items.push(load(head))
  return items.reverse()
}

function storeValue(builder: Builder, value: StackValue): void {
  switch (value.type) {
    case 'null':
      builder.storeUint(0, 8)
      return
    case 'nan':
      builder.storeUint(0x02ff, 16)
      return
    case 'int':
      if (value.value >= MIN_INT64 && value.value <= MAX_INT64)
        builder.storeUint(1, 8).storeInt(value.value, 64)
      else builder.storeUint(0x0100, 15).storeInt(value.value, 257)
      return
    case 'cell':
      builder.storeUint(3, 8).storeRef(value.cell)
      return
    case 'slice':
      storeCellSlice(builder.storeUint(4, 8), value.cell)
      return
    case 'builder':
      builder.storeUint(5, 8).storeRef(value.cell)
      return
    case 'tuple':
      storeTuple(builder, value.items)
      return
    case 'cont':
      throw new DecodeError('vm_stack_value', 'a continuation cannot be an argument')
  }
}

function storeCellSlice(builder: Builder, cell: Cell): void {
  builder
    .storeUint(0, 10)
    .storeUint(cell.bits, 10)
    .storeUint(0, 3)
    .storeUint(cell.refs.length, 3)
    .storeRef(cell)
}

function storeTuple(builder: Builder, items: readonly StackValue[]): void {
  if (items.length > 255) throw new DecodeError('vm_tuple', `${items.length} items, at most 255`)
  const cells = items.map((item) => {
    const cell = new Builder()
    storeValue(cell, item)
    return cell.endCell()
  })
  builder.storeUint(7, 8).storeUint(items.length, 16)
  let [head, ...tails] = cells
  const last = tails.pop()
  for (const tail of tails)
    head = new Builder()
      .storeRef(head as Cell)
      .storeRef(tail)
      .endCell()
  if (head) builder.storeRef(head)
  if (last) builder.storeRef(last)
}
