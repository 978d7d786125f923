import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { isLong, swept } from '@shardwalk/testkit/runs'
import { describe, expect, test } from 'vitest'
import { Client, type Json, type Query } from '../client.ts'
import { Examples } from './examples.ts'
import type { ExpectedMessage, ExpectedTransaction, GroundTruth } from './expected-chain.ts'
import { base64, hashes, messageOrder, transactionOrder } from './orders.ts'
import { readGroundTruth } from './read-chain.ts'

/** Rows per page when lists are read whole. */
const PAGE = 250

interface Hashed {
  readonly hash: Buffer
}

/** The recorded chain twice: as API v3 returns it, and as `@ton/core` reads it. */
export class ComparedChain {
  readonly examples: Examples
  private readonly made = new Map<string, unknown>()

  private constructor(
    private readonly scratch: ScratchDatabase,
    readonly client: Client,
    readonly truth: GroundTruth,
  ) {
    this.examples = new Examples(truth)
  }

  static async start(): Promise<ComparedChain> {
    const scratch = await sampleChainDatabase()
    return new ComparedChain(scratch, await Client.start(scratch), await readGroundTruth())
  }

  async close(): Promise<void> {
    await this.client.close()
    await this.scratch.close()
  }

  /** All rows in an order. */
  transactions(sort: Sort, byTime = false): readonly ExpectedTransaction[] {
    return this.once(`transactions ${sort} ${byTime}`, () =>
      [...this.truth.transactions].sort(transactionOrder(sort, byTime)),
    )
  }

  messages(sort: Sort, byTime = false): readonly ExpectedMessage[] {
    return this.once(`messages ${sort} ${byTime}`, () =>
      [...this.truth.messages].sort(messageOrder(sort, byTime)),
    )
  }

  /**
   * Pages of a list, newest rows first. Long runs read all of it; others read every fifth page, because pages
   * that follow each other are read in the tests of filters.
   */
  pages(path: 'transactions' | 'messages'): Promise<readonly (readonly Json[])[]> {
    return this.once(`pages of ${path}`, () => this.readPages(path, this[path]('desc')))
  }

  private async readPages(path: string, expected: readonly Hashed[]): Promise<readonly (readonly Json[])[]> {
    const pages: Json[][] = []
    const offsets = Array.from({ length: Math.ceil(expected.length / PAGE) }, (_, index) => index * PAGE)
    for (const offset of swept(offsets, 5)) {
      const rows = (await this.client.get(path, { limit: PAGE, offset })).body[path] as Json[]
      expect(hashes(rows)).toEqual(base64(expected.slice(offset, offset + PAGE)))
      pages.push(rows)
    }
    if (isLong) expect(hashes(await this.client.all(path, path))).toEqual(base64(expected))
    return pages
  }

  /**
   * Cursor pages and offset pages have the same rows in the same order. Long runs read every list to its end,
   * in pages of two sizes; others read only the beginning of lists of hundreds of rows, and one size.
   */
  async expectPaging(path: string, rows: string, query: Query, expected: readonly Hashed[]): Promise<void> {
    for (const { limit, most } of readings(expected.length)) {
      const found = await this.client.all(path, rows, query, limit, most)
      expect(hashes(found)).toEqual(base64(expected.slice(0, most)))
    }
    const middle = Math.floor(expected.length / 2)
    for (const offset of isLong ? [0, 1, middle, expected.length] : [Math.max(1, middle)]) {
      const reply = await this.client.get(path, { ...query, limit: 5, offset })
      expect(reply.status).toBe(200)
      expect(hashes(reply.body[rows] as Json[])).toEqual(base64(expected.slice(offset, offset + 5)))
    }
  }

  /** The transactions that match, on pages of `path`. */
  async expectTransactions(
    path: string,
    query: Query & { readonly sort: Sort },
    matches: (transaction: ExpectedTransaction) => boolean,
  ): Promise<void> {
    const expected = this.transactions(query.sort, isByTime(query)).filter(matches)
    await this.expectPaging(path, 'transactions', query, expected)
  }

  /** Kept, because tests of filters need it often. */
  private once<T>(name: string, make: () => T): T {
    if (!this.made.has(name)) this.made.set(name, make())
    return this.made.get(name) as T
  }
}

/** Time bounds order a list by time. */
export const isByTime = (query: Query): boolean => 'start_utime' in query || 'end_utime' in query

/** How a list is read: rows per page, and after how many rows to stop. */
export function readings(length: number): readonly { readonly limit: number; readonly most?: number }[] {
  if (isLong) return (length > 600 ? [567, 233] : [1000, 37]).map((limit) => ({ limit }))
  return length > 60 ? [{ limit: 23, most: 2 * 23 }] : [{ limit: 17 }]
}

export type Sort = 'asc' | 'desc'

const ORDERS: readonly Sort[] = ['desc', 'asc']

/** A filter: its name, the query, and the rows that it selects. */
export type Case<T> = readonly [
  name: string,
  query: (of: Examples) => Query,
  matches: (row: T, of: Examples) => boolean,
]

/** Unless tests are long, each filter is tried in one order, every second one in the other. */
const triedIn = <T>(sort: Sort, cases: readonly T[]): readonly T[] =>
  cases.filter((_, index) => isLong || ORDERS[index % 2] === sort)

/** A test for each filter and order: `expectRows` asks with the query and compares with what matches. */
export function eachFilter<T>(
  { list, cases }: { readonly list: string; readonly cases: readonly Case<T>[] },
  chain: () => ComparedChain,
  expectRows: (query: Query & { readonly sort: Sort }, matches: (row: T) => boolean) => Promise<void>,
): void {
  describe.each(ORDERS)(`${list} in order %s`, (sort) => {
    test.each(triedIn(sort, cases))('filtered by %s', async (_name, query, matches) => {
      const { examples } = chain()
      await expectRows({ sort, ...query(examples) }, (row) => matches(row, examples))
    })
  })
}
