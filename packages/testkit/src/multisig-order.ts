import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'

/** An action of a multisig order that sends 5 nanotons and a body, mode 3. */
export function orderAction(to: RawAddress, body: Cell): Cell {
  const message = new Builder()
    .storeUint(0b0110, 4)
    .storeAddress(undefined)
    .storeAddress(to)
    .storeCoins(5n)
    // No other currencies, ihr_fee, fwd_fee, created_lt and created_at, no init.
    .storeUint(0, 1 + 4 + 4 + 96 + 1)
    .storeBit(true)
    .storeRef(body)
  return new Builder().storeUint(0xf1381e5b, 32).storeUint(3, 8).storeRef(message.endCell()).endCell()
}

/** `Hashmap 8 ^MultisigAction` with at least one action. */
export const multisigOrder = (actions: readonly Cell[]): Cell =>
  buildDict(
    actions.map((action, i) => [BigInt(i), new Builder().storeRef(action)] as const),
    8,
  )!
