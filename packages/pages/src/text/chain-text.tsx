import { cutText, visibleText } from './visible-text.ts'

/** Longest texts that are shown, in characters as people count them. */
const LENGTHS = { name: 64, symbol: 16, comment: 500, brief: 120, line: 40 } as const

interface Props {
  readonly text: string
  readonly kind: keyof typeof LENGTHS
}

/**
 * A text of the chain: a name, symbol, domain or comment, which anybody may have written to deceive. Pages
 * show such texts in no other way.
 */
export function ChainText({ text, kind }: Props) {
  const cut = cutText(text, LENGTHS[kind])
  return <bdi class="chain-text">{cut.isWhole ? cut.text : `${cut.text}…`}</bdi>
}

/** Longest rest of a comment that can be unfolded. UTF-16 units. */
const MAX_REST = 10_000

/** A comment; what exceeds its length can be unfolded. */
export function Comment({ text }: { readonly text: string }) {
  const cut = cutText(text, LENGTHS.comment)
  if (cut.isWhole) return <bdi class="chain-text comment">{cut.text}</bdi>
  return (
    <details class="comment">
      <summary>
        <bdi class="chain-text">{cut.text}…</bdi>
      </summary>
      <bdi class="chain-text">{visibleText(text.slice(0, MAX_REST))}</bdi>
    </details>
  )
}
