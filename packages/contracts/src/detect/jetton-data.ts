import type { Slice } from '@shardwalk/cells'
import { MASTERCHAIN, type RawAddress } from '@shardwalk/model'

/** `addr_std$10` without anycast and its workchain, which is 0 or -1; behind it 256 bits. */
const ADDRESS_BITS = 3 + 8 + 256
const STD_NO_ANYCAST = 0b100
/** Bits before the balance: none (TEP-74), or the status of governed and of mintless wallets. */
const LEADS = [0, 4] as const

/**
 * The balance in the data cell of a jetton wallet: `balance:Coins owner:MsgAddressInt
 * master:MsgAddressInt`, perhaps behind `status:uint4`; what follows does not matter. Undefined if the cell
 * has no such beginning, or both. Other contracts may begin alike, so whether the account is a jetton wallet
 * must be known otherwise. Sources: ton-blockchain/token-contract, ft/jetton-wallet.fc;
 * ton-blockchain/stablecoin-contract, contracts/jetton-wallet.fc; ton-community/mintless-jetton.
 */
export function readJettonBalance(data: Slice): bigint | undefined {
  const found = LEADS.map((lead) => balanceBehind(data, lead)).filter((balance) => balance !== undefined)
  return found.length === 1 ? found[0] : undefined
}

/**
 * Balance, owner and master in the data cell of a jetton wallet, in the layout of `readJettonBalance`;
 * undefined as there.
 */
export function readJettonHolding(
  data: Slice,
): { readonly balance: bigint; readonly owner: RawAddress; readonly master: RawAddress } | undefined {
  const [lead, other] = LEADS.filter((bits) => balanceBehind(data, bits) !== undefined)
  if (lead === undefined || other !== undefined) return undefined
  const slice = data.clone().skip(lead)
  return { balance: slice.loadCoins(), owner: loadAddress(slice), master: loadAddress(slice) }
}

/** `addr_std` as `skipAddress` accepts it. */
function loadAddress(slice: Slice): RawAddress {
  slice.skip(3)
  return { workchain: slice.loadInt(8), hash: slice.loadBytes(32) }
}

function balanceBehind(data: Slice, lead: number): bigint | undefined {
  const shortest = lead + 4 + 2 * ADDRESS_BITS
  if (data.remainingBits < shortest) return undefined
  const slice = data.clone().skip(lead)
  if (data.remainingBits < shortest + 8 * slice.preloadUint(4)) return undefined
  const balance = slice.loadCoins()
  return skipAddress(slice) && skipAddress(slice) ? balance : undefined
}

function skipAddress(slice: Slice): boolean {
  if (slice.loadUint(3) !== STD_NO_ANYCAST) return false
  const workchain = slice.loadInt(8)
  slice.skip(256)
  return workchain === 0 || workchain === MASTERCHAIN
}
