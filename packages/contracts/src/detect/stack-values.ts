import { Builder, type Cell, type DictKey, forEachLeaf, loadStdAddress, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import type { StackValue } from '../stack.ts'

export const intValue = (value: bigint | number): StackValue => ({ type: 'int', value: BigInt(value) })

/** `addr_std` without anycast, as contracts compare addresses. */
export const addressValue = (address: RawAddress): StackValue => ({
  type: 'slice',
  cell: new Builder().storeAddress(address).endCell(),
})

/** Entries that a getter's dictionary may have: a few shared cells can describe 2^256. */
const MAX_ENTRIES = 10_000

/** Reads every entry of `Hashmap n X`, in key order; undefined when one does not read or there are too many. No cell: no entries. */
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

/** Bytes of a snake as text; undefined when a cell does not hold whole bytes or the text is not UTF-8. */
export function readSnakeString(cell: Cell): string | undefined {
  const parts: Buffer[] = []
  for (let at: Cell | undefined = cell; at; at = at.refs[0]) {
    if (at.isExotic || at.bits % 8 !== 0) return undefined
    parts.push(at.data.subarray(0, at.bits / 8))
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts))
  } catch {
    return undefined
  }
}
