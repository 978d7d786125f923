import type { ExportColumn } from '../define-dataset.ts'

export const SEQNO = 'Masterchain block that commits it.'

/** The leading column: its own time of the row. */
export const blockTime = (seconds: string): ExportColumn => [
  'ts',
  `${seconds}::int8 * 1000`,
  'Time of the block.',
]
