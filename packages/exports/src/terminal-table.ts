/** Widest column in characters; what is longer is cut. */
const MOST_WIDTH = 80

/**
 * Characters that move the cursor, colour the screen or reorder text: texts of the chain are written by
 * strangers.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ACTIVE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Text that a terminal shows as it is: active characters become `\u{202e}`. */
export const terminalText = (text: string): string =>
  text.replace(ACTIVE, (one) => (one === '\n' ? '\\n' : `\\u{${one.codePointAt(0)!.toString(16)}}`))

/** Rows below a header, in columns. Null is shown as nothing. */
export function terminalTable(
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): string {
  const cells = [columns, ...rows].map((row) => row.map((cell) => cut(terminalText(cell ?? ''))))
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)))
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
