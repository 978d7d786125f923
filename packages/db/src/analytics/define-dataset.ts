/**
 * Types of exported columns: 32 and 64-bit integers, bool, text, bytes, time in milliseconds (UTC), and
 * integers of at most 20 or 38 digits. `text` of bytes is base64, of 64 bits and more decimal.
 */
export type ExportType = 'i32' | 'i64' | 'bool' | 'str' | 'bin' | 'ts' | 'd20' | 'd38'

export type ExportColumn = readonly [type: ExportType, expression: string, comment: string]

/** Rows for files. Rows of a range belong to masterchain blocks; a snapshot is of the last indexed one. */
export interface Dataset {
  readonly name: string
  readonly comment: string
  readonly kind: 'range' | 'snapshot'
  readonly columns: Readonly<Record<string, ExportColumn>>
  /** Written only if asked for: whole bags of cells. */
  readonly bocs?: Readonly<Record<string, ExportColumn>>
  readonly from: string
  /** Columns with the masterchain seqno and with an lt that lies in the range of the batch. */
  readonly position?: { readonly seqno: string; readonly lt: string }
  /** A total order. */
  readonly order: string
}

/** Sets an amount that does not fit its type to null; a second column has it as text. */
export const fitting = (expression: string, digits: number): string =>
  `case when ${expression} >= 0 and ${expression} < 1e${digits} then ${expression} end`
