import { randomFrom } from '@shardwalk/testkit'

/** Random choices from a seed. */
export class Dice {
  random: () => number

  constructor(private readonly seed: number) {
    this.random = randomFrom(seed)
  }

  /** The same choices again. */
  restart(): void {
    this.random = randomFrom(this.seed)
  }

  chance = (share: number): boolean => this.random() < share
  upTo = (count: number): number => Math.floor(this.random() * count)
  pick = <T>(from: readonly T[]): T => from[this.upTo(from.length)]!
  some = <T>(from: readonly T[], share = 0.4): T[] => from.filter(() => this.chance(share))
  maybe = <T>(share: number, make: () => T): T | undefined => (this.chance(share) ? make() : undefined)
  hash = (): Buffer => Buffer.from(Array.from({ length: 32 }, () => this.upTo(256)))
  /** With few first bytes, by which lists are ordered. */
  likeHash = (): Buffer => Buffer.concat([Buffer.alloc(7, this.upTo(2)), this.hash()], 32)

  /** Bounds that are often those of rows, sometimes the wrong way round. */
  bounds = <T extends bigint | number>(from: readonly T[]) => ({
    from: this.maybe(0.6, () => this.pick(from)),
    to: this.maybe(0.6, () => this.pick(from)),
  })
  ltBounds = (from: readonly bigint[]) => {
    const { from: first, to } = this.bounds(from)
    return { from: first ?? 0n, to: to ?? 2n ** 63n - 1n }
  }
}
