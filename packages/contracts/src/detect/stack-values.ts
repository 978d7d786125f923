import {
  Builder,
  type Cell,
  type DictKey,
  forEachLeaf,
  loadSnake,
  loadStdAddress,
  type Slice,
} from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import { decodeText } from '../bodies/text.ts'
import type { StackValue } from '../get-methods/stack.ts'

/** An argument of a get-method, a signed integer of 257 bits. */
export const intValue = (value: bigint | number): StackValue => ({ type: 'int', value: BigInt(value) })

/** Without anycast, as contracts compare addresses. */
export const addressValue = (address: RawAddress): StackValue => ({
  type: 'slice',
  cell: new Builder().storeAddress(address).endCell(),
})

/** Limit of entries in a dictionary that a get-method returns: a few shared cells can describe 2^256. */
const MAX_ENTRIES = 10_000

/**
 * Reads every entry of `Hashmap n X`, in key order; undefined when an entry cannot be read or there are too
 * many. An undefined root means an empty dictionary.
 */
export function readDict<T>(
  root: Cell | undefined,
  keyBits: number,
  read: (value: Slice, key: DictKey) => T | undefined,
): T[] | undefined {
  const entries: T[] = []
  let isValid = true
  try {
    forEachLeaf(root?.slice(), keyBits, (value, key) => {
      const entry = read(value, key)
      if (entry === undefined || entries.length >= MAX_ENTRIES) isValid = false
      else entries.push(entry)
      return isValid ? undefined : false
    })
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
  return isValid ? entries : undefined
}

/** Addresses of `Hashmap n MsgAddressInt` in key order; undefined when an entry is not `addr_std`. */
export const readAddressDict = (root: Cell | undefined, keyBits: number): RawAddress[] | undefined =>
  readDict(root, keyBits, loadStdAddress)

/** Snake data as text, NUL characters included; undefined when it is damaged. */
export function readSnakeString(cell: Cell): string | undefined {
  const snake = cell.isExotic ? undefined : loadSnake(cell.slice())
  return snake && decodeText(snake.bytes, { damaged: 'refuse', keepNul: true })
}
