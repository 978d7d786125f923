import { FetchError } from './fetch-error.ts'

const MAX_BYTES = 64 * 1024

/** Whether the document is in the URL itself (RFC 2397). */
export const isDataUrl = (url: string): boolean => /^data:/i.test(url)

/** Decodes a `data:` URL (RFC 2397) of at most 64 KiB. Throws `FetchError`. */
export function readDataUrl(url: string): Buffer {
  const comma = url.indexOf(',')
  if (comma < 0) throw new FetchError('parse', 'not a data URL')
  if (url.length > MAX_BYTES * 4) throw new FetchError('too_big', 'the data URL is too long')
  const bytes = /;\s*base64\s*$/i.test(url.slice(0, comma))
    ? fromBase64(url.slice(comma + 1))
    : fromPercent(url.slice(comma + 1))
  if (bytes.length > MAX_BYTES) throw new FetchError('too_big', 'the data URL is too long')
  return bytes
}

const fromBase64 = (text: string): Buffer => Buffer.from(fromPercent(text).toString('latin1'), 'base64')

/** A percent sign that begins no octet stands for itself. Source: WHATWG URL, "percent-decode". */
function fromPercent(text: string): Buffer {
  const octets = Buffer.from(text)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(octets, 'latin1')
}
