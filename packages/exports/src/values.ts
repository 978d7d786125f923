import type { ExportType } from '@shardwalk/db'

/** A value of a column: what files are made of. */
export type ExportValue = number | bigint | boolean | string | Uint8Array | null

/** From the text that PostgreSQL writes. */
const READERS: Readonly<Record<ExportType, (text: string) => ExportValue>> = {
  i32: Number,
  i64: BigInt,
  bool: (text) => text === 't',
  str: (text) => text,
  bin: (text) => Buffer.from(text.slice(2), 'hex'),
  ts: BigInt,
  d20: BigInt,
  d38: BigInt,
  ton: BigInt,
}

export const readerOf = (type: ExportType): ((text: string | null) => ExportValue) => {
  const read = READERS[type]
  return (text) => (text === null ? null : read(text))
}

/** As NDJSON and CSV show it: integers of 64 bits and more are texts, so that no program rounds them. */
export function plain(type: ExportType, text: string | null): string | number | boolean | null {
  if (text === null) return null
  if (type === 'i32') return Number(text)
  if (type === 'bool') return text === 't'
  if (type === 'bin') return Buffer.from(text.slice(2), 'hex').toString('base64')
  if (type === 'ton') return inTon(text)
  return type === 'ts' ? new Date(Number(text)).toISOString() : text
}

/** Nanotons as TON with all nine decimals. */
function inTon(nano: string): string {
  const digits = nano.replace('-', '').padStart(10, '0')
  return `${nano.startsWith('-') ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`
}
