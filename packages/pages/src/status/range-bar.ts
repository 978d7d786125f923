import type { Range, Status } from './status.ts'

/** A part of the bar of indexed blocks. */
export interface BarPart {
  readonly kind: 'indexed' | 'gap' | 'quarantined'
  /** In thousandths of the bar. */
  readonly x: number
  readonly width: number
}

/** Units of `BarPart`. */
export const BAR_WIDTH = 1000
/** Thinner parts could not be seen. */
const MIN_WIDTH = 2
/** Parts that are drawn; the table lists them, too. */
const MAX_PARTS = 400

/**
 * What is wanted, from the first block to the head, as parts of a bar. Gaps are drawn over what is indexed.
 */
export function rangeBar({ first, head, newest, indexed, gaps, quarantine }: Status): readonly BarPart[] {
  const from = first ?? indexed[0]?.from
  const to = Math.max(head?.seqno ?? 0, newest?.seqno ?? 0)
  if (from === undefined || to < from) return []
  const scale = BAR_WIDTH / (to - from + 1)
  const part =
    (kind: BarPart['kind']) =>
    (range: Range): BarPart => {
      const x = Math.max(0, (range.from - from) * scale)
      const end = Math.min(BAR_WIDTH, (range.to + 1 - from) * scale)
      const width = Math.max(MIN_WIDTH, end - x)
      return { kind, x: round(Math.min(x, BAR_WIDTH - width)), width: round(width) }
    }
  return [
    ...indexed.filter((range) => range.to >= from).map(part('indexed')),
    ...gaps.map(part('gap')),
    ...(quarantine?.ranges ?? []).map(part('quarantined')),
  ].slice(0, MAX_PARTS)
}

const round = (value: number): number => Math.round(value * 100) / 100
