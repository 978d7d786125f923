import { isUtf8 } from 'node:buffer'

/** What to do with invalid UTF-8: refuse the text, or replace each invalid byte by U+FFFD or `\xNN`. */
export type DamagedText = 'refuse' | 'replace' | 'escape'

interface TextOptions<D extends DamagedText> {
  readonly damaged: D
  /** Keep NUL characters. They are removed by default because PostgreSQL's `text` cannot hold them. */
  readonly keepNul?: boolean
}

/** Decodes bytes as UTF-8; undefined only when damaged text is refused. */
export function decodeText(bytes: Buffer, options: TextOptions<'replace' | 'escape'>): string
export function decodeText(bytes: Buffer, options: TextOptions<DamagedText>): string | undefined
export function decodeText(
  bytes: Buffer,
  { damaged, keepNul }: TextOptions<DamagedText>,
): string | undefined {
  let text: string | undefined = bytes.toString('utf8')
  // The text may contain a genuine U+FFFD, so only then is the slower, strict decoder consulted.
  if (damaged !== 'replace' && text.includes('\ufffd'))
    text = strict(bytes) ?? (damaged === 'escape' ? escapeDamage(bytes) : undefined)
  return keepNul ? text : text?.replaceAll('\0', '')
}

const strict = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString('utf8') : undefined)

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
