import { Builder, type Cell, forEachLeaf, loadStdAddress } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import type { StackValue } from '../stack.ts'

export const intValue = (value: bigint | number): StackValue => ({ type: 'int', value: BigInt(value) })

/** `addr_std` without anycast, as contracts compare addresses. */
export const addressValue = (address: RawAddress): StackValue => ({
  type: 'slice',
  cell: new Builder().storeAddress(address).endCell(),
})

/** A dictionary (`Hashmap n MsgAddressInt`) as key and address, ascending; undefined when an entry is not `addr_std`. No cell: empty. */
export function readAddressDict(root: Cell | undefined, keyBits: number): Map<number, RawAddress> | undefined {
  const addresses = new Map<number, RawAddress>()
  let isValid = true
  try {
    forEachLeaf(root?.slice(), keyBits, (value, key) => {
      const address = loadStdAddress(value)
      if (!address) isValid = false
      else addresses.set(key.toNumber(), address)
      return isValid ? undefined : false
    })
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
  return isValid ? addresses : undefined
}

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
