import type { ExpectedBlock, ExpectedMessage, ExpectedTransaction, GroundTruth } from './expected-chain.ts'

const pick = <T>(rows: readonly T[], share: number): T => rows[Math.floor(rows.length * share)]!

/** Values to filter by: frequent accounts, and positions in the middle of the chain. */
export class Examples {
  readonly blocks: readonly ExpectedBlock[]
  /** The most frequent ones, by the number of their transactions. */
  readonly accounts: readonly string[]
  readonly listed: ReadonlySet<string>
  readonly transaction: ExpectedTransaction
  readonly internal: ExpectedMessage
  /** With a normalised hash. */
  readonly normalised: ExpectedMessage
  /** Of one half of a shard that was split. */
  readonly splitBlock: ExpectedBlock
  private readonly transactions: readonly ExpectedTransaction[]

  constructor({ blocks, transactions, messages }: GroundTruth) {
    const counts = new Map<string, number>()
    for (const { account } of transactions) counts.set(account, (counts.get(account) ?? 0) + 1)
    this.blocks = blocks
    this.transactions = transactions
    this.accounts = [...counts].sort((a, b) => b[1] - a[1]).map(([account]) => account)
    this.listed = new Set(this.accounts.slice(2, 60))
    this.transaction = pick(transactions, 0.6)
    const withOpcode = messages.filter((m) => m.kind === 'internal' && m.opcode !== undefined)
    this.internal = pick(withOpcode, 0.7)
    this.normalised = messages.find((m) => m.hashNorm)!
    this.splitBlock = blocks.find((b) => b.shard !== 2n ** 63n && b.transactions.length > 1)!
  }

  /** Of the transaction at this share of the chain. */
  time(share: number): number {
    return pick(this.transactions, share).now
  }

  lt(share: number): bigint {
    return pick(this.transactions, share).lt
  }
}
