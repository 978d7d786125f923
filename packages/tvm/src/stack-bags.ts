import { parseBoc, serializeBoc } from '@shardwalk/cells'
import { parseStack, type StackValue, storeStack } from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'

/**
 * Maximum depth of the arguments of a call as cells. Every entry of a stack is the parent of the one below
 * it, and cells are at most 1,024 deep (node, `CellTraits::max_depth`). Arguments that a method leaves on the
 * stack are part of its result; the remaining depth is for results on top of them.
 */
const MAX_ARGUMENT_DEPTH = 1000
/** More would make the executor keep much memory, and no message brings more to a contract. */
const MAX_ARGUMENT_CELLS = 8192

/** The arguments as a bag of cells. Throws DecodeError, which names the limit. */
export function encodeArguments(values: readonly StackValue[]): Buffer {
  if (values.length > MAX_ARGUMENT_DEPTH) throw tooDeep(`${values.length} entries`)
  const stack = storeStack(values)
  if (stack.depth() > MAX_ARGUMENT_DEPTH) throw tooDeep(`${stack.depth()} cells deep`)
  const bag = serializeBoc(stack)
  const { count } = parseBoc(bag)
  if (count > MAX_ARGUMENT_CELLS)
    throw new DecodeError('arguments', `${count} cells, at most ${MAX_ARGUMENT_CELLS}`)
  return bag
}

const tooDeep = (given: string): DecodeError =>
  new DecodeError('arguments', `${given}, at most ${MAX_ARGUMENT_DEPTH}`)

/** The stack after a run, bottom first. Throws DecodeError when it is too large: see `parseStack`. */
export function decodeResults(stackBoc: Uint8Array, maxValues?: number): StackValue[] {
  const bag = parseBoc(stackBoc)
  return parseStack(bag.slice(bag.root), maxValues)
}
