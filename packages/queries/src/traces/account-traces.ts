import type { Db } from '@shardwalk/db'
import { type Condition, heldRows } from '../idiom/index.ts'
import { fromFirstPartitions } from '../partitions/index.ts'
import { orderOf } from './account-trace-order.ts'
import { FirstTraces, Scanned } from './account-trace-progress.ts'
import { walk } from './account-trace-walk.ts'
import { longTraces } from './long-traces.ts'
import type { TraceScan, TraceSlice } from './trace-filter.ts'

/** Number of the account's transactions examined first; each further look examines four times as many. */
const FIRST_LOOK = 256

interface TracePage {
  readonly scan: TraceScan
  readonly slice: TraceSlice
  /** On the table aliased `r`. */
  readonly conditions: readonly Condition[]
}

/**
 * Ids of the account's traces that contain the page; `conditions` on `r` are those of the page. The account's
 * transactions are scanned in the order of the list. A trace that is not long ends near all its transactions,
 * so once the page ends far enough before the last scanned transaction, only long traces can still belong in
 * it. Index: transactions primary key, traces primary key, traces (end_lt) of long ones, transactions
 * (piece).
 */
export async function tracesOfAccount(
  db: Db,
  account: bigint,
  { scan, slice, conditions }: TracePage,
): Promise<Buffer[]> {
  const first = new FirstTraces(heldRows(slice), slice.sort)
  const order = await orderOf(db, scan, slice)
  const scanned = new Scanned(order)
  for (let look = Math.max(FIRST_LOOK, first.wanted); ; look *= 4) {
    const bound = first.end === null ? undefined : order.bound(first.end)
    const transactions = await fromFirstPartitions<number>(
      db,
      { account, lt: scanned.rest(bound), sort: slice.sort },
      {
        read: async (range, before = 0) => {
          const by = { order, range, conditions, needed: first.wanted, look: look - before }
          const walked = await walk(db, account, by)
          first.add(walked.traces)
          scanned.add(walked)
          return before + walked.transactions
        },
        isEnough: (count) => count === look,
      },
    )
    const isScanned = transactions < look
    // All transactions of the account were scanned, not only those up to a bound.
    if (isScanned && bound === undefined && order.fromBeginning) return first.ids
    const { end } = first
    const isFull = scanned.last !== null && end !== null && order.isBeyond(scanned.last, end)
    if (!isScanned && !isFull) continue
    const startedBy = order.startedBy ?? scanned.last!
    return [...first.ids, ...(await longTraces(db, account, { order, conditions, end, startedBy }))]
  }
}
