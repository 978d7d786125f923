import { loadStdAddress, type Slice } from '@shardwalk/cells'
import { formatRawAddress } from '@shardwalk/model'

/** `MsgAddress` in raw form, `workchain:64 upper-case hex`; null for everything that is not `addr_std`. */
export function loadAddressText(slice: Slice): string | null {
  const address = loadStdAddress(slice)
  return address ? formatRawAddress(address) : null
}
