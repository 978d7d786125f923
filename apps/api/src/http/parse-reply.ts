import type { Json } from '@shardwalk/api-schema'

/** Rare: most numbers of that size are texts already. */
const MAY_HAVE_LONG_INTEGER = /:-?\d{16}/
const LONG_INTEGER = /:(-?\d{16,})(?=[,}])/y

/** A reply as values. Members that are integers a double may not hold become texts. */
export const parseReply = <T>(text: Json): T =>
  JSON.parse(MAY_HAVE_LONG_INTEGER.test(text) ? withQuotedIntegers(text) : text)

/** Texts are skipped one by one: what looks like a member inside is part of them. */
function withQuotedIntegers(text: Json): Json {
  const parts: string[] = []
  let done = 0
  for (let quote = text.indexOf('"'); quote >= 0; ) {
    const end = endOfText(text, quote)
    LONG_INTEGER.lastIndex = end + 1
    const found = LONG_INTEGER.exec(text)
    if (found) {
      parts.push(text.slice(done, end + 2), `"${found[1]}"`)
      done = LONG_INTEGER.lastIndex
    }
    quote = text.indexOf('"', end + 1)
  }
  return parts.join('') + text.slice(done)
}

/** The quote that closes the text that one opens. */
function endOfText(text: Json, quote: number): number {
  let end = quote
  do end = text.indexOf('"', end + 1)
  while (isEscaped(text, end))
  return end < 0 ? text.length : end
}

function isEscaped(text: Json, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
