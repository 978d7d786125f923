import type { Cell } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import type { ExactJson } from './exact-json.ts'
import { parseBase64, requestCell } from './kinds.ts'
import { shown, V2Refusal } from './refusal.ts'
import { StackBudget, type StackLimits } from './stack-budget.ts'

type JsonObject = { readonly [key: string]: ExactJson }

/**
 * Every entry of the stack, and of a list, is the parent of the next one, and cells are at most 1,024 deep;
 * the rest is for results.
 */
const MAX_ENTRIES = 1000
/** Cells of one argument: as many as a message can bring. Source: node, `SizeLimitsConfig::max_msg_cells`. */
const MAX_CELLS = 8192
/** Elements of a tuple. Source: node, crypto/vm/tupleops.cpp. */
const MAX_TUPLE = 255
/** Maximum depth of results, as in TON Center. */
const MAX_STACK_DEPTH = 256

const refuse = (inner: string, status = 422): never => {
  throw new V2Refusal(inner, status === 422 ? 'parse' : 'plain', status)
}

const isObject = (value: ExactJson | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isArray = (value: ExactJson | undefined): value is readonly ExactJson[] => Array.isArray(value)

/** Reads arguments of `runGetMethod`: two-element arrays. Throws `V2Refusal`. See docs/api-v2.md. */
export function readLegacyStack(stack: ExactJson): StackValue[] {
  return entriesOf(stack).map((entry) => readPair(entry, 1))
}

/** `depth`: that of elements of the entry. */
function readPair(entry: ExactJson, depth: number): StackValue {
  if (!isArray(entry) || entry.length !== 2)
    return refuse(`Expected 2 elements in stack entry, got: ${isArray(entry) ? entry.length : 'no array'}`)
  const [type, value] = entry as readonly [ExactJson, ExactJson]
  if (typeof type !== 'string') return refuse('Expected string as first element in stack entry')
  const read = Object.hasOwn(LEGACY, type) ? LEGACY[type] : undefined
  return read ? read(value, type, depth) : refuse(`Unsupported stack entry type: ${shown(type)}`, 542)
}

function entriesOf(stack: ExactJson): readonly ExactJson[] {
  if (!isArray(stack)) return refuse('Stack should be array')
  if (stack.length > MAX_ENTRIES)
    return refuse(`TVM stack size exceeds limit: ${stack.length} entries, at most ${MAX_ENTRIES}`)
  return stack
}

type ReadEntry = (value: ExactJson, type: string, depth: number) => StackValue

const readNumber: ReadEntry = (value) => {
  if (typeof value === 'string')
    return { type: 'int', value: numberOf(value, `Invalid number: ${shown(value)}`) }
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    return { type: 'int', value: numberOf(String(value), `Invalid number: ${shown(String(value))}`) }
  return refuse('Wrong type of number in stack entry')
}

/** Decimal or 0x hex with an optional minus, at most 257 bits signed. */
function numberOf(text: string, problem: string): bigint {
  const match = /^(-?)(0x[0-9a-fA-F]{1,80}|\d{1,80})$/.exec(text)
  const value = match ? BigInt(match[2]!) * (match[1] === '-' ? -1n : 1n) : undefined
  return value === undefined || BigInt.asIntN(257, value) !== value ? refuse(problem) : value
}

function cellOf(value: ExactJson, type: string, problem: string): Cell {
  if (typeof value !== 'string') return refuse(problem)
  if (value === '') return refuse(`Empty ${type}`)
  return requestCell(parseBase64(value), '', MAX_CELLS)
}

/** TVM takes no slice of an exotic cell, and the executor's thread ends with it. */
const cellEntry = (type: 'cell' | 'slice', cell: Cell): StackValue =>
  type === 'slice' && cell.isExotic ? refuse('Invalid slice: an exotic cell') : { type, cell }

const readBoc =
  (kind: 'cell' | 'slice'): ReadEntry =>
  (value, type) =>
    cellEntry(kind, cellOf(value, type, `Invalid ${type}, base64 string expected`))

/** Reads the output form `{bytes}`, or the text alone. */
const readObject =
  (kind: 'cell' | 'slice'): ReadEntry =>
  (value, type) =>
    cellEntry(
      kind,
      cellOf(
        isObject(value) && Object.hasOwn(value, 'bytes') ? value['bytes']! : value,
        type,
        `Invalid ${type}, object with field bytes expected`,
      ),
    )

/** Elements are typed, as in replies, or pairs like the entry, which `tonutils` sends without `@type`. */
const readTyped =
  (tag: 'tvm.tuple' | 'tvm.list', problem: string): ReadEntry =>
  (value, _, depth) => {
    const object = isObject(value) && !Object.hasOwn(value, '@type') ? { ...value, '@type': tag } : value
    return readElements(object, tag, depth, {
      problem,
      read: (element, at) => (isArray(element) ? readPair(element, at + 1) : readEntry(element, at)),
    })
  }

const LEGACY: Readonly<Record<string, ReadEntry>> = {
  num: readNumber,
  number: readNumber,
  int: readNumber,
  integer: readNumber,
  'tvm.Cell': readBoc('cell'),
  'tvm.Slice': readBoc('slice'),
  cell: readObject('cell'),
  slice: readObject('slice'),
  tuple: readTyped('tvm.tuple', 'Invalid tvm.Tuple, valid tvm_stackEntryTuple expected'),
  'tvm.Tuple': readTyped('tvm.tuple', 'Invalid tvm.Tuple, valid tvm_stackEntryTuple expected'),
  list: readTyped('tvm.list', 'Invalid tvm.List, valid tvm_stackEntryList expected'),
  'tvm.List': readTyped('tvm.list', 'Invalid tvm.List, valid tvm_stackEntryList expected'),
}

/** Reads arguments of `runGetMethodStd`. Throws `V2Refusal`. See docs/api-v2.md. */
export const readTypedStack = (stack: ExactJson): StackValue[] =>
  entriesOf(stack).map((entry) => readEntry(entry, 0))

function readEntry(entry: ExactJson, depth: number): StackValue {
  if (!isObject(entry)) return refuse('Stack entry should be an object')
  const tag = Object.hasOwn(entry, '@type') ? entry['@type'] : undefined
  const member = (name: string, type: string): ExactJson => {
    const inner = Object.hasOwn(entry, name) ? entry[name] : undefined
    if (!isObject(inner) || inner['@type'] !== type)
      return refuse(`Error at path '${name}': ${type} is expected`)
    return inner
  }
  switch (tag) {
    case 'tvm.stackEntryNumber': {
      const { number } = member('number', 'tvm.numberDecimal') as JsonObject
      if (typeof number !== 'string') return refuse("Error at path 'number.number': a string is expected")
      return { type: 'int', value: numberOf(number, `Failed to parse int256: '${shown(number)}'`) }
    }
    case 'tvm.stackEntryCell':
      return { type: 'cell', cell: bytesOf(member('cell', 'tvm.cell')) }
    case 'tvm.stackEntrySlice':
      return cellEntry('slice', bytesOf(member('slice', 'tvm.slice')))
    case 'tvm.stackEntryTuple':
      return readElements(member('tuple', 'tvm.tuple'), 'tvm.tuple', depth + 1, TUPLE)
    case 'tvm.stackEntryList':
      return readElements(member('list', 'tvm.list'), 'tvm.list', depth + 1, LIST)
    case 'tvm.stackEntryUnsupported':
      return refuse('Unsuppored stack entry', 500)
    default:
      return refuse("Error at path '@type': a type of stack entry is expected")
  }
}

const bytesOf = (value: ExactJson): Cell =>
  cellOf((value as JsonObject)['bytes'] ?? null, 'bytes', "Error at path 'bytes': base64 is expected")

interface ElementRules {
  /** What is refused if there are no elements. */
  readonly problem: string
  readonly read: (element: ExactJson, depth: number) => StackValue
}

const TUPLE: ElementRules = { problem: 'tvm.tuple is expected', read: readEntry }
const LIST: ElementRules = { problem: 'tvm.list is expected', read: readEntry }

function readElements(
  value: ExactJson,
  tag: 'tvm.tuple' | 'tvm.list',
  depth: number,
  { problem, read }: ElementRules,
): StackValue {
  const elements = isObject(value) && value['@type'] === tag ? value['elements'] : undefined
  if (!isArray(elements)) return refuse(problem)
  const isTuple = tag === 'tvm.tuple'
  if (isTuple && elements.length > MAX_TUPLE) return refuse('TVM stack size exceeds limit')
  // Every element of a list is nested in the one before.
  if (depth + (isTuple ? 0 : elements.length) > MAX_ENTRIES) return refuse('TVM stack depth exceeds limit')
  const items = elements.map((element, i) => read(element, isTuple ? depth : depth + i))
  if (isTuple) return { type: 'tuple', items }
  return items.reduceRight<StackValue>((rest, item) => ({ type: 'tuple', items: [item, rest] }), {
    type: 'null',
  })
}

/** Result of `runGetMethodStd`. Throws `V2Refusal` (533) if nested too deep. */
export function toTypedStack(stack: readonly StackValue[], limits?: StackLimits): object[] {
  const budget = new StackBudget(limits)
  return stack.map((value) => typedEntry(value, 1, budget))
}

/** Result of `runGetMethod`. Slices are printed as cells, as in TON Center. */
export function toLegacyStack(stack: readonly StackValue[], limits?: StackLimits): unknown[] {
  const budget = new StackBudget(limits)
  return stack.map((value) => {
    switch (value.type) {
      case 'int':
        return ['num', hexOf(value.value)]
      case 'cell':
      case 'slice':
        return ['cell', { bytes: budget.text(value.cell), object: cellObject(value.cell, budget) }]
      case 'null':
        return ['list', { '@type': 'tvm.list', elements: [] }]
      case 'tuple': {
        const list = listItems(value)
        const [name, items] = list ? (['list', list] as const) : (['tuple', value.items] as const)
        return [name, { '@type': `tvm.${name}`, elements: items.map((item) => typedEntry(item, 1, budget)) }]
      }
      default:
        return ['unsupported', '']
    }
  })
}

/** Hexadecimal with `0x`, after the sign. */
export const hexOf = (value: bigint): string =>
  value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`

function typedEntry(value: StackValue, depth: number, budget: StackBudget): object {
  if (depth >= MAX_STACK_DEPTH) throw new V2Refusal(`Result stack depth >= ${MAX_STACK_DEPTH}`, 'plain', 533)
  switch (value.type) {
    case 'int':
      return {
        '@type': 'tvm.stackEntryNumber',
        number: { '@type': 'tvm.numberDecimal', number: String(value.value) },
      }
    case 'nan':
      return { '@type': 'tvm.stackEntryNumber', number: { '@type': 'tvm.numberDecimal', number: 'NaN' } }
    case 'cell':
      return { '@type': 'tvm.stackEntryCell', cell: { '@type': 'tvm.cell', bytes: budget.text(value.cell) } }
    case 'slice':
      return {
        '@type': 'tvm.stackEntrySlice',
        slice: { '@type': 'tvm.slice', bytes: budget.text(value.cell) },
      }
    case 'null':
      return { '@type': 'tvm.stackEntryList', list: { '@type': 'tvm.list', elements: [] } }
    case 'tuple': {
      const list = listItems(value)
      const [name, items] = list ? (['List', list] as const) : (['Tuple', value.items] as const)
      const key = name.toLowerCase()
      const elements = items.map((item) => typedEntry(item, depth + 1, budget))
      return { '@type': `tvm.stackEntry${name}`, [key]: { '@type': `tvm.${key}`, elements } }
    }
    default:
      return { '@type': 'tvm.stackEntryUnsupported' }
  }
}

/** Items of nested pairs that end with null; undefined for any other tuple. */
export function listItems(value: StackValue): readonly StackValue[] | undefined {
  const items: StackValue[] = []
  let rest: StackValue = value
  while (rest.type === 'tuple' && rest.items.length === 2) {
    items.push(rest.items[0]!)
    rest = rest.items[1]!
  }
  return rest.type === 'null' && items.length > 0 ? items : undefined
}

/** The tree as nested objects. The last byte includes the end marker, as in TON Center. */
function cellObject(cell: Cell, budget: StackBudget): object {
  budget.spendObject()
  return {
    data: { b64: cell.data.toString('base64'), len: cell.bits },
    refs: cell.refs.map((ref) => cellObject(ref, budget)),
    special: cell.isExotic,
  }
}
