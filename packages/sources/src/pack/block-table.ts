import type { BlockId } from '@shardwalk/model'

/** Position of a block: number of its package, offset of its entry. */
export interface BlockPlace {
  readonly pack: number
  readonly offset: number
}

const EMPTY = 0xffffffff

/**
 * Open-addressing table from root hash to positions, 20 bytes per block, because archives have tens of
 * millions. Only eight bytes of the hash are stored, so a position is a candidate whose bytes must be checked
 * against the file hash.
 */
export class BlockTable {
  private keys = new BigUint64Array(1024)
  private packs = new Uint32Array(1024).fill(EMPTY)
  private offsets = new Float64Array(1024)
  private count = 0

  get size(): number {
    return this.count
  }

  add(id: BlockId, place: BlockPlace): void {
    if (this.count * 4 >= this.keys.length * 3) this.grow()
    this.insert(keyOf(id), place.pack, place.offset)
  }

  /** Yields several positions if the block was archived more than once or two hashes share eight bytes. */
  *find(id: BlockId): Generator<BlockPlace> {
    const key = keyOf(id)
    for (let i = this.slot(key); this.packs[i] !== EMPTY; i = (i + 1) % this.keys.length)
      if (this.keys[i] === key) yield { pack: this.packs[i]!, offset: this.offsets[i]! }
  }

  private insert(key: bigint, pack: number, offset: number): void {
    let i = this.slot(key)
    while (this.packs[i] !== EMPTY) {
      if (this.keys[i] === key && this.packs[i] === pack && this.offsets[i] === offset) return
      i = (i + 1) % this.keys.length
    }
    this.keys[i] = key
    this.packs[i] = pack
    this.offsets[i] = offset
    this.count++
  }

  private slot(key: bigint): number {
    return Number(key % BigInt(this.keys.length))
  }

  private grow(): void {
    const { keys, packs, offsets } = this
    this.keys = new BigUint64Array(keys.length * 2)
    this.packs = new Uint32Array(keys.length * 2).fill(EMPTY)
    this.offsets = new Float64Array(keys.length * 2)
    this.count = 0
    for (let i = 0; i < keys.length; i++)
      if (packs[i] !== EMPTY) this.insert(keys[i]!, packs[i]!, offsets[i]!)
  }
}

const keyOf = (id: BlockId): bigint => id.rootHash.readBigUInt64BE(0)
