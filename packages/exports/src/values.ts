import type { ExportType } from '@shardwalk/db/datasets'

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
