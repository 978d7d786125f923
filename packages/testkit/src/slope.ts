/** A value at a time. */
export interface Point {
  /** Milliseconds. */
  readonly at: number
  readonly value: number
}

/** What comes at first is no trend: caches fill, code is compiled. */
const UNSETTLED_SHARE = 1 / 4

/** Slope of the line of least squares, per millisecond; 0 if all points are of one time. */
export function slopeOf(points: readonly Point[]): number {
  const at = mean(points.map((point) => point.at))
  const value = mean(points.map((point) => point.value))
  const spread = sum(points.map((point) => (point.at - at) ** 2))
  return spread === 0 ? 0 : sum(points.map((point) => (point.at - at) * (point.value - value))) / spread
}

/**
 * By how much the values rise along that line from the end of the first quarter to the last point. A peak
 * in the middle raises it little, growth without an end by all of it.
 */
export function settledGrowth(points: readonly Point[]): number {
  const first = points[0]?.at ?? 0
  const last = points.at(-1)?.at ?? 0
  const settled = points.filter(({ at }) => at >= first + (last - first) * UNSETTLED_SHARE)
  return slopeOf(settled) * (last - (settled[0]?.at ?? last))
}

/** The least value of which so large a share of the values is not above; NaN if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length
