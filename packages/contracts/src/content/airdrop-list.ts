import { type Bag, type DictKey, forEachLeaf, parseBoc, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'

/**
 * What one owner may claim of a mintless jetton. Amount in the jetton's smallest unit, times in Unix seconds.
 */
export interface AirdropItem {
  readonly owner: RawAddress
  readonly amount: bigint
  readonly startFrom: number
  readonly expiredAt: number
}

/**
 * Entries stored by column, so that moving them between threads is cheap. An amount takes two words, the high
 * one first; times are start, then end.
 */
export interface AirdropColumns {
  readonly workchains: Int8Array<ArrayBuffer>
  /** 32 bytes per entry. */
  readonly hashes: Uint8Array<ArrayBuffer>
  readonly amounts: BigUint64Array<ArrayBuffer>
  readonly times: Float64Array<ArrayBuffer>
  readonly length: number
  /** Number of entries whose key is not an `addr_std` without anycast. */
  readonly skipped: number
}

/**
 * Bits of a `MsgAddressInt`: `addr_std$10 anycast:nothing$0 workchain_id:int8 address:bits256`. Source:
 * block.tlb.
 */
const KEY_BITS = 267
const STANDARD = 0b100

/**
 * Reads the list of a mintless jetton, ordered by owner. Throws DecodeError when the root hash differs from
 * `root`, which is what ties the list to the jetton, or when the cells are not a dictionary. Source: TEP-177,
 * `Hashmap 267 AirdropItem`.
 */
export function readAirdropList(boc: Uint8Array, root: Uint8Array): AirdropColumns {
  const bag = parseBoc(boc, { expectedRoots: 1 })
  if (!bag.hashEquals(bag.root, root))
    throw new DecodeError('airdrop', 'the hash of the root is not what the jetton says')
  const most = countLeaves(bag)
  const columns = {
    workchains: new Int8Array(most),
    hashes: new Uint8Array(32 * most),
    amounts: new BigUint64Array(2 * most),
    times: new Float64Array(2 * most),
  }
  let length = 0
  let skipped = 0
  forEachLeaf(bag.slice(bag.root), KEY_BITS, (value, key) => {
    // A few cells that share subtrees can describe more entries than can be counted.
    if (length + skipped === most) throw new DecodeError('airdrop', 'parts of the list repeat')
    const item = readItem(value, key)
    if (item) put(columns, length++, item)
    else skipped++
  })
  return { ...columns, length, skipped }
}

/** An entry of the columns as an object. `startFrom`, `expiredAt`: Unix seconds. */
export function airdropItem(
  { workchains, hashes, amounts, times }: AirdropColumns,
  index: number,
): AirdropItem {
  return {
    owner: { workchain: workchains[index]!, hash: Buffer.from(hashes.buffer, 32 * index, 32) },
    amount: (amounts[2 * index]! << 64n) | amounts[2 * index + 1]!,
    startFrom: times[2 * index]!,
    expiredAt: times[2 * index + 1]!,
  }
}

function countLeaves(bag: Bag): number {
  let leaves = 0
  for (let cell = 0; cell < bag.count; cell++) if (bag.refCount(cell) === 0) leaves++
  return leaves
}

/** Source: TEP-177 `_ amount:Coins start_from:uint48 expired_at:uint48 = AirdropItem`. */
function readItem(value: Slice, key: DictKey): AirdropItem | undefined {
  const address = key.toBuffer()
  if (address[0]! >> 5 !== STANDARD) return undefined
  try {
    const amount = BigInt(value.loadCoins())
    const startFrom = Number(value.loadUintBig(48))
    const expiredAt = Number(value.loadUintBig(48))
    value.expectEnd('airdrop item')
    return { owner: ownerOf(address), amount, startFrom, expiredAt }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Workchain and hash begin three bits into the key. */
function ownerOf(key: Buffer): RawAddress {
  const shifted = Buffer.alloc(33)
  for (let i = 0; i < 33; i++) shifted[i] = (key[i]! << 3) | (key[i + 1]! >> 5)
  return { workchain: shifted.readInt8(0), hash: shifted.subarray(1) }
}

type Filled = Pick<AirdropColumns, 'workchains' | 'hashes' | 'amounts' | 'times'>

function put({ workchains, hashes, amounts, times }: Filled, index: number, item: AirdropItem): void {
  workchains[index] = item.owner.workchain
  hashes.set(item.owner.hash, 32 * index)
  amounts[2 * index] = item.amount >> 64n
  amounts[2 * index + 1] = item.amount
  times[2 * index] = item.startFrom
  times[2 * index + 1] = item.expiredAt
}
