import { CELL, type Cell, forEachLeaf } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'

/**
 * SETCP0, then DICTPUSHCONST: 13 bits of opcode, a bit, 10 bits of key length. Source: TVM instruction set,
 * F4A4_.
 */
const SETCP0 = 0xff00
const DICT_PUSH_CONST = 0b1111010010100
/** Limit of methods; the dictionary of a real contract has tens of entries. */
const MAX_METHODS = 4096

/**
 * Ascending method ids of the dictionary at the start of code compiled by FunC, Tact or Tolk (0 is
 * recv_internal, 524287 stands for -1). Undefined when the code does not start with such a dictionary.
 * `library`: finds the code that a library cell stands for.
 */
export function methodIdsOf(code: Cell, library?: (hash: Buffer) => Cell | undefined): number[] | undefined {
  try {
    const target = code.type === CELL.library ? library?.(code.exoticSlice().skip(8).loadBytes(32)) : code
    return target && readMethodDict(target)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function readMethodDict(code: Cell): number[] | undefined {
  const slice = code.slice()
  if (slice.remainingBits < 40 || slice.loadUint(16) !== SETCP0 || slice.loadUint(13) !== DICT_PUSH_CONST)
    return undefined
  slice.skip(1)
  const keyBits = slice.loadUint(10)
  if (keyBits === 0 || keyBits > 32 || slice.remainingRefs === 0) return undefined
  const ids = new Set<number>()
  forEachLeaf(slice.loadRefSlice(), keyBits, (_value, key) => {
    ids.add(key.toNumber())
    return ids.size < MAX_METHODS ? undefined : false
  })
  return [...ids].sort((a, b) => a - b)
}
