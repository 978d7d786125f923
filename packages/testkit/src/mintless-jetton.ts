import { Builder, buildDict, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'

/** An entry of the list of owners. Times are in Unix seconds. */
export interface MintlessItem {
  readonly owner: RawAddress
  readonly amount: bigint
  readonly startFrom: number
  readonly expiredAt: number
}

/** Code and data of a contract. */
export interface TestContract {
  readonly code: Cell
  readonly data: Cell
}

/** Method ids: CRC-16 of the name with bit 16 set. */
const METHOD = {
  get_jetton_data: 106029,
  get_wallet_address: 103289,
  get_mintless_airdrop_hashmap_root: 79463,
  get_wallet_data: 97026,
  is_claimed: 122284,
} as const

/**
 * A minimal mintless jetton in hand-written code. The master returns the root of the list, and derives the
 * wallet of an owner from the owner and `salt` (0 to 127), a number in its code.
 */
export function mintlessJetton({
  items,
  salt = 1,
}: {
  readonly items: readonly MintlessItem[]
  readonly salt?: number
}) {
  const list = items.length === 0 ? EMPTY_CELL : (buildDict(items.map(mintlessEntry), 267) as Cell)
  const content = new Builder()
    .storeUint(1, 8)
    .storeBytes(Buffer.from('https://mintless.example/1.json'))
    .endCell()
  const code = dispatcher({
    // supply 0, mintable -1, addr_none; content and wallet code from the data.
    get_jetton_data: '707fc87001cb01c9d0ed44d0d3ff31d4d430',
    // Builds a cell of salt and owner; returns its hash after addr_std$10, no anycast, workchain 0.
    get_wallet_address: `80${hex(salt)}c8cb07cec9f90074c8cb027001cb07cbffc9d0`,
    get_mintless_airdrop_hashmap_root: 'ed44d0d3ff30',
  })
  return {
    code,
    data: new Builder().storeBytes(list.hash()).storeRef(content).storeRef(EMPTY_CELL).endCell(),
    root: list.hash(),
    dump: serializeBoc(list),
    walletOf: (owner: RawAddress): RawAddress => ({
      workchain: 0,
      hash: new Builder().storeUint(salt, 8).storeAddress(owner).endCell().hash(),
    }),
  }
}

/** A wallet of such a jetton. */
export function mintlessWallet(wallet: {
  readonly balance: number
  readonly owner: RawAddress
  readonly master: RawAddress
  readonly isClaimed: boolean
}): TestContract {
  const code = dispatcher({
    get_wallet_data: 'ed44d0d30031d33fd401d001d430d0ed44',
    is_claimed: 'ed44d0d30030',
  })
  const data = new Builder()
    .storeBit(wallet.isClaimed)
    .storeUint(wallet.balance, 64)
    .storeRef(new Builder().storeAddress(wallet.owner).endCell())
    .storeRef(new Builder().storeAddress(wallet.master).endCell())
    .endCell()
  return { code, data }
}

const hex = (byte: number) => byte.toString(16).padStart(2, '0')

/** SETCP0; methods by id in a dictionary with 19-bit keys; DICTIGETJMPZ; THROWARG 11. */
function dispatcher(methods: Partial<Record<keyof typeof METHOD, string>>): Cell {
  const entries = Object.entries(methods).map(
    ([name, code]) =>
      [
        BigInt(METHOD[name as keyof typeof METHOD]),
        new Builder().storeBytes(Buffer.from(code, 'hex')),
      ] as const,
  )
  return new Builder()
    .storeBytes(Buffer.from('ff00f4a413f4bcf2c80b', 'hex'))
    .storeRef(buildDict(entries, 19) as Cell)
    .endCell()
}

/** An entry of the list. The key is an `addr_std` of 267 bits, left-aligned. Source: TEP-177. */
export function mintlessEntry({
  owner,
  amount,
  startFrom,
  expiredAt,
}: MintlessItem): readonly [Buffer, Builder] {
  const { data } = new Builder().storeAddress(owner).endCell()
  const key = Buffer.from(data.subarray(0, 34))
  key[33]! &= 0b1110_0000
  return [key, new Builder().storeCoins(amount).storeUint(startFrom, 48).storeUint(expiredAt, 48)]
}
