import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { intersect, isEmpty, KEEP_PLAN, type LtRange, rangeOf, type Sort, statement } from '../idiom/index.ts'
import { activeRanges } from './active-ranges.ts'
import { knownPartitions } from './known-partitions.ts'

/** A list in the order of lt. */
export interface ListByLt {
  readonly lt: LtRange
  readonly sort: Sort
  /** All of its rows are of this one. */
  readonly account?: bigint | undefined
}

/**
 * A statement opens all partitions of its range of lt when it starts, 20 µs for each; one more statement
 * takes as long as 20 to 30 of them.
 */
const FEW = 16
/** Partitions that are read first: two, because the newest may have been made ahead and be empty. */
const FIRST = 2

/** How the beginning of a list is read. */
export interface Reading<Found> {
  /** What a range of lt has, after what was found before it. */
  readonly read: (lt: LtRange, before: Found | undefined) => Promise<Found>
  readonly isEnough: (found: Found) => boolean
}

/**
 * Reads the beginning of a list from the first partitions that have rows of it, then goes on with the next
 * ones until it is enough.
 */
export async function fromFirstPartitions<Found>(
  db: Db,
  list: ListByLt,
  { read, isEnough }: Reading<Found>,
): Promise<Found> {
  const [first, ...others] = await stepsOf(db, list)
  let found = await read(first, undefined)
  for (const lt of others) {
    if (isEnough(found)) break
    found = await read(lt, found)
  }
  return found
}

/** Ranges of lt in the order of the list, which have all rows of it. */
async function stepsOf(
  db: Db,
  { account, lt, sort }: ListByLt,
): Promise<readonly [LtRange, ...(readonly LtRange[])]> {
  const { parts, whole, isNarrow } =
    account === undefined
      ? { parts: await partitionsOf(db, lt), whole: lt, isNarrow: false }
      : await activePart(db, lt, account)
  if (isNarrow || parts.length <= FIRST) return [whole]
  const ordered = sort === 'asc' ? parts : parts.toReversed()
  const rest = ordered.slice(FEW)
  return [
    spanOf(ordered.slice(0, FIRST)),
    spanOf(ordered.slice(FIRST, FEW)),
    ...(rest.length > 0 ? [spanOf(rest)] : []),
  ]
}

/** A range of lt, and the partitions of it that have rows. `isNarrow`: to open all of it takes no time. */
interface ActivePart {
  readonly parts: readonly LtRange[]
  readonly whole: LtRange
  readonly isNarrow: boolean
}

/** Reading where an account is active takes a statement, too. */
async function activePart(db: Db, lt: LtRange, account: bigint): Promise<ActivePart> {
  const opened = await partitionsOf(db, lt)
  if (opened.length <= FEW) return { parts: opened, whole: lt, isNarrow: true }
  const parts = await activeAmong(db, opened, account)
  const whole = spanOf(parts)
  const between = opened.filter((part) => whole.from <= part.from && part.to <= whole.to)
  return { parts, whole, isNarrow: between.length <= FEW }
}

/** The parts of a range that are in one partition each. */
async function partitionsOf(db: Db, lt: LtRange): Promise<readonly LtRange[]> {
  const { starts } = await knownPartitions(db)
  // Partitions next to the first and the last may have been added meanwhile.
  return starts
    .map((start, at) => {
      const next = starts[at + 1]
      return intersect(lt, {
        from: at === 0 ? lt.from : start,
        to: next === undefined ? lt.to : next - 1n,
      })
    })
    .filter((part) => !isEmpty(part))
}

/** Raw: an account's row decoded, with a kept plan. Index: primary key of accounts. */
const ACTIVE = statement<{ readonly from_lt: bigint; readonly to_lt: bigint }>('where an account is active', {
  from_lt: 'int8',
  to_lt: 'int8',
})

async function activeAmong(
  db: Db,
  partitions: readonly LtRange[],
  account: bigint,
): Promise<readonly LtRange[]> {
  const rows = await ACTIVE.rows(
    db,
    sql`${KEEP_PLAN} select active.from_lt, active.to_lt from ${activeRanges(sql`${account}::int8`, 'asc')}`,
  )
  const isActive = (part: LtRange) => rows.some((row) => row.from_lt <= part.to && part.from <= row.to_lt)
  return partitions.filter(isActive)
}

const spanOf = (parts: readonly LtRange[]): LtRange => rangeOf(parts.flatMap(({ from, to }) => [from, to]))
