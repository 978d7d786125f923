/** What becomes of bytes that are no UTF-8: the text is refused, or each becomes U+FFFD or `\xNN`. */
export type DamagedText = 'refuse' | 'replace' | 'escape'

interface TextOptions<D extends DamagedText> {
  readonly damaged: D
  /** NUL characters are removed unless this is set: PostgreSQL's text cannot hold them. */
  readonly keepNul?: boolean
}

/** Bytes as UTF-8 text; undefined only when damaged text is refused. */
export function decodeText(bytes: Buffer, options: TextOptions<'replace' | 'escape'>): string
export function decodeText(bytes: Buffer, options: TextOptions<DamagedText>): string | undefined
export function decodeText(
  bytes: Buffer,
  { damaged, keepNul }: TextOptions<DamagedText>,
): string | undefined {
  let text: string | undefined = bytes.toString('utf8')
  // U+FFFD may have been sent as such: only then is the slower, strict decoder asked.
  if (damaged !== 'replace' && text.includes('\ufffd'))
    text = strict(bytes) ?? (damaged === 'escape' ? escapeDamage(bytes) : undefined)
  return keepNul ? text : text?.replaceAll('\0', '')
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function strict(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

function escapeDamage(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at]!)
    const character = strict(bytes.subarray(at, at + length))
    text += character ?? `\\x${bytes[at]!.toString(16).padStart(2, '0')}`
    at += character === undefined ? 1 : length
  }
  return text
}

const sequenceLength = (first: number): number => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4)
