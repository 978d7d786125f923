/**
 * Rows of a table in a template string: one per line. An indented line continues its row; `#` starts a
 * comment.
 */
export const tableRows = (table: string): string[] =>
  table
    .replaceAll('\n  ', ' ')
    .split('\n')
    .filter((row) => row !== '' && !row.startsWith('#'))
