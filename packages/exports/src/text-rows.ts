import type { ExportType, TextRow } from '@shardwalk/db/datasets'
import { csvLine, withoutFormula } from './csv.ts'
import type { FileColumn, RowFileOptions } from './row-file.ts'
import { plain } from './values.ts'

/** Rows as lines. */
export interface TextRows {
  readonly header: string
  line(row: TextRow): string
}

/** RFC 4180 with a header; null is nothing, an empty text `""`. */
export function csvText({ columns, csvSafe = false }: RowFileOptions): TextRows {
  const cell = ({ type }: FileColumn, text: string | null): string | null => {
    const value = plain(type, text)
    if (value === null) return null
    return csvSafe && type === 'str' ? withoutFormula(String(value)) : String(value)
  }
  return {
    header: csvLine(columns.map(({ name }) => name)),
    line: (row) => csvLine(columns.map((column, at) => cell(column, row[at]!))),
  }
}

/** Only a text of the chain has what JSON escapes. */
const json = (type: ExportType, text: string | null): string => {
  const value = plain(type, text)
  return type === 'bin' && value !== null ? `"${value}"` : JSON.stringify(value)
}

/** Keys in the order of the columns, nulls too: also what checksums of content are computed of. */
export function ndjsonText(columns: readonly FileColumn[]): TextRows {
  const keys = columns.map(({ name }, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  return {
    header: '',
    line: (row) => {
      let line = ''
      for (let at = 0; at < columns.length; at++) line += keys[at]! + json(columns[at]!.type, row[at]!)
      return `${line}}\n`
    },
  }
}
