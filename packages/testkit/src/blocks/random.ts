import { randomFrom } from '../random.ts'

/** Choices of a generator; the same for the same seed. */
export class Random {
  private readonly next: () => number

  /** `rarity`: chance of each shape that no network has shown yet. */
  constructor(
    seed: number,
    private readonly rarity = 0,
  ) {
    this.next = randomFrom(Math.imul(seed + 1, 2654435761))
    // The first numbers of neighbouring seeds resemble each other.
    for (let i = 0; i < 4; i++) this.next()
  }

  /** 0 … n - 1. */
  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  /** Both ends included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** For shapes that are only made on request: without it, no number is drawn. */
  rarely(): boolean {
    return this.rarity > 0 && this.chance(this.rarity)
  }

  /** The same, as these bytes say: choices that come later stay what they were. */
  rarelyBy(bytes: Buffer): boolean {
    return bytes[0]! < 256 * this.rarity
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count)
    for (let i = 0; i < count; i++) bytes[i] = this.below(256)
    return bytes
  }

  hash(): Buffer {
    return this.bytes(32)
  }

  /** Less than 2^bits; small values are as likely as large ones. */
  big(bits: number): bigint {
    const width = this.below(bits + 1)
    return width === 0
      ? 0n
      : BigInt(`0x${this.bytes((width + 7) >> 3).toString('hex')}`) % (1n << BigInt(width))
  }

  /** An amount that a column of 64 bits can hold. */
  coins(): bigint {
    return this.big(60)
  }

  uint32(): number {
    return Number(this.big(32))
  }

  int32(): number {
    return Number(BigInt.asIntN(32, this.big(32)))
  }

  maybe<T>(share: number, make: () => T): T | undefined {
    return this.chance(share) ? make() : undefined
  }

  /** Of an extra currency. */
  private amount(): bigint {
    return this.rarely() ? this.pick([0n, 2n ** 240n]) : 1n + this.big(200)
  }

  /** Extra currencies, mostly none. */
  currencies(share: number): ReadonlyMap<number, bigint> | undefined {
    if (!this.chance(share)) return undefined
    const count = this.pick([1, 1, 2, 2, 3, 5, 20])
    return new Map(Array.from({ length: count }, () => [this.uint32(), this.amount()] as const))
  }
}
