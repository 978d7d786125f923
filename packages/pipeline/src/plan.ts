import type { McBlockSeqno } from '@shardwalk/model'
/** Masterchain seqnos from `from` to `to`, both included. */
export interface SeqnoRange {
  readonly from: McBlockSeqno
  readonly to: McBlockSeqno
}

/** Sorted, merged: no two ranges overlap or touch. Empty input ranges (`from > to`) vanish. */
export function mergeRanges(ranges: readonly SeqnoRange[]): SeqnoRange[] {
  const result: SeqnoRange[] = []
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = result[result.length - 1]
    if (range.from > range.to) continue
    if (last && range.from <= last.to + 1)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    else result.push(range)
  }
  return result
}

/** The parts of `wanted` that no range of `done` covers, ascending. */
export function missingRanges(wanted: SeqnoRange, done: readonly SeqnoRange[]): SeqnoRange[] {
  const result: SeqnoRange[] = []
  let next = wanted.from
  for (const range of mergeRanges(done)) {
    if (range.to < next) continue
    if (range.from > wanted.to) break
    if (range.from > next) result.push({ from: next, to: range.from - 1 })
    next = range.to + 1
  }
  if (next <= wanted.to) result.push({ from: next, to: wanted.to })
  return result
}

/** All seqnos of a range, ascending. */
export const seqnosOf = ({ from, to }: SeqnoRange): McBlockSeqno[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** How many seqnos disjoint ranges have together. */
export const countSeqnos = (ranges: readonly SeqnoRange[]): number =>
  ranges.reduce((sum, range) => sum + range.to - range.from + 1, 0)

/** Order in which history is indexed behind the head. */
export type BackfillOrder = 'oldest-first' | 'newest-first' | 'off'

/** From what the plan of work is made. */
export interface WorkState {
  /** First seqno to index and the newest one that is not left to the head follower. */
  readonly wanted: SeqnoRange
  readonly indexed: readonly SeqnoRange[]
  /** Ranges that are queued or in progress. */
  readonly outstanding: readonly SeqnoRange[]
  readonly order: BackfillOrder
  /** Everything missing above this seqno was missed while nothing followed the head, and comes first. */
  readonly gapsAbove: number
}

/** A range that no job has yet. `gap`: missed while nothing followed the head. */
export interface PlannedRange extends SeqnoRange {
  readonly kind: 'gap' | 'history'
}

/** How work is split: at multiples of `jobSize`, so that processes plan the same jobs. */
export interface PlanLimits {
  readonly jobSize: number
  /** Most ranges to return. */
  readonly limit: number
}

/**
 * The next ranges to index, most urgent first: gaps from the oldest, then history in the requested order.
 * With `off`, history below the oldest indexed seqno is omitted, but gaps above it are not.
 */
export function planWork(state: WorkState, limits: PlanLimits): PlannedRange[] {
  const missing = missingRanges(wantedRange(state), [...state.indexed, ...state.outstanding])
  const split = missing.flatMap((range) => [
    { from: range.from, to: Math.min(range.to, state.gapsAbove) },
    { from: Math.max(range.from, state.gapsAbove + 1), to: range.to },
  ])
  const real = split.filter((range) => range.from <= range.to)
  const gaps = real.filter((range) => range.from > state.gapsAbove)
  const history = real.filter((range) => range.to <= state.gapsAbove)
  const result: PlannedRange[] = []
  take(result, { ranges: gaps, kind: 'gap', descending: false, ...limits })
  take(result, { ranges: history, kind: 'history', descending: state.order === 'newest-first', ...limits })
  return result
}

function wantedRange({ wanted, indexed, order }: WorkState): SeqnoRange {
  if (order !== 'off') return wanted
  const oldest = indexed.reduce((least, { from }) => Math.min(least, from), Infinity)
  return { from: Math.max(wanted.from, Number.isFinite(oldest) ? oldest : wanted.to + 1), to: wanted.to }
}

interface Cut extends PlanLimits {
  readonly ranges: readonly SeqnoRange[]
  readonly kind: PlannedRange['kind']
  readonly descending: boolean
}

function take(result: PlannedRange[], { ranges, kind, descending, jobSize, limit }: Cut): void {
  for (const range of descending ? [...ranges].reverse() : ranges) {
    let { from, to } = range
    while (from <= to && result.length < limit) {
      if (descending) {
        const start = Math.max(from, Math.floor(to / jobSize) * jobSize)
        result.push({ kind, from: start, to })
        to = start - 1
      } else {
        const end = Math.min(to, Math.floor(from / jobSize) * jobSize + jobSize - 1)
        result.push({ kind, from, to: end })
        from = end + 1
      }
    }
  }
}
