import { terminalText } from '@shardwalk/model'

/** Widest column in characters; what is longer is cut. */
const MOST_WIDTH = 80

/** Rows below a header, in columns. Null is shown as nothing. */
export function terminalTable(
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): string {
  const cells = [columns, ...rows].map((row) => row.map((cell) => cut(terminalText(cell ?? ''))))
  const widths = columns.map((_, at) => cells.reduce((most, row) => Math.max(most, row[at]!.length), 0))
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join(' | ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  return [lines[0]!, rule, ...lines.slice(1)].join('\n')
}

const cut = (text: string): string => (text.length > MOST_WIDTH ? `${text.slice(0, MOST_WIDTH - 1)}…` : text)
