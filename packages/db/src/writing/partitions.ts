import type { Lt } from '@shardwalk/model'
import type pg from 'pg'
import { lock } from './locks.ts'
import { inTransaction } from './transaction.ts'

/** Tables that are partitioned by lt, all with the same bounds. */
export const PARTITIONED_TABLES = ['transactions', 'messages'] as const

/** Range of lt; `to` is exclusive. */
export interface LtRange {
  readonly from: Lt
  readonly to: Lt
}

/** Default width of a partition: 23 days at 0.4 s per block, whose lt are 1e6 apart; 16 a year. */
export const DEFAULT_PARTITION_WIDTH = 5_000_000_000_000n

/** Partitions are made ahead and behind when this share of one is left. */
const LEFT = 16n

/**
 * Creates partitions before the first row needs them. The width may change between runs: new partitions fit
 * between existing ones.
 */
export class Partitions {
  private known: readonly LtRange[] = []
  private preparing: Promise<void> | undefined

  constructor(
    private readonly pool: pg.Pool,
    private readonly width: bigint = DEFAULT_PARTITION_WIDTH,
  ) {}

  /**
   * Ensures that every lt of `ranges` has a partition in each partitioned table. If the end of a partition is
   * near, the next one is created in the background, so that the head does not wait for it.
   */
  async ensure(ranges: readonly LtRange[]): Promise<void> {
    await this.create(ranges)
    const near = this.width / LEFT
    const wider = ranges.map(({ from, to }) => ({ from: from > near ? from - near : 0n, to: to + near }))
    if (this.preparing || this.missing(wider).length === 0) return
    // What fails here is tried again when it is needed.
    this.preparing = this.create(wider)
      .catch(() => {})
      .finally(() => {
        this.preparing = undefined
      })
  }

  /** A partition was dropped since they were read. */
  forget(): void {
    this.known = []
  }

  private missing(ranges: readonly LtRange[]): readonly LtRange[] {
    return this.bucketsOf(ranges).filter((bucket) => uncovered(bucket, this.known).length > 0)
  }

  private async create(ranges: readonly LtRange[]): Promise<void> {
    const missing = this.missing(ranges)
    if (missing.length === 0) return
    this.known = await inTransaction(this.pool, async (client) => {
      await lock(client, 'partitions')
      for (const table of PARTITIONED_TABLES) {
        const present = await readPartitions(client, table)
        for (const bucket of missing)
          for (const gap of uncovered(bucket, present)) await createPartition(client, table, gap)
      }
      return readPartitions(client, PARTITIONED_TABLES[0])
    })
  }

  /** Distinct partitions, aligned to the width. */
  private bucketsOf(ranges: readonly LtRange[]): readonly LtRange[] {
    const numbers = new Set<bigint>()
    for (const { from, to } of ranges)
      for (let number = from / this.width; number <= to / this.width; number++) numbers.add(number)
    return [...numbers].map((number) => ({ from: number * this.width, to: (number + 1n) * this.width }))
  }
}

/** A function of the owner does it: only an owner can attach a partition. */
export const createPartition = (client: pg.ClientBase, table: string, { from, to }: LtRange) =>
  client.query('select create_lt_partition($1, $2, $3)', [table, from, to])

/** Ranges of lt of the table's partitions, in no order. Throws for a bound of another form. */
export async function readPartitions(client: pg.ClientBase, table: string): Promise<readonly LtRange[]> {
  const { rows } = await client.query<{ bound: string }>(
    `select pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`,
    [table],
  )
  return rows.map(({ bound }) => {
    const [from, to] = [...bound.matchAll(/'(-?\d+)'/g)].map((match) => BigInt(match[1]!))
    if (from === undefined || to === undefined)
      throw new Error(`partition of ${table} with an unknown bound: ${bound}`)
    return { from, to }
  })
}

/** The parts of `range` that no range of `known` covers. */
function uncovered(range: LtRange, known: readonly LtRange[]): LtRange[] {
  const overlapping = known.filter(({ from, to }) => from < range.to && to > range.from)
  const sorted = [...overlapping].sort((a, b) => (a.from < b.from ? -1 : 1))
  const gaps: LtRange[] = []
  let position = range.from
  for (const { from, to } of sorted) {
    if (from > position) gaps.push({ from: position, to: from })
    if (to > position) position = to
  }
  if (position < range.to) gaps.push({ from: position, to: range.to })
  return gaps
}
