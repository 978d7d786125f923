import { withVisible } from '@shardwalk/model'

/** The joiner inside an emoji such as a family is part of the picture. */
const EMOJI_JOINER =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu
const KEPT_JOINER = '\u0000'

/**
 * The text with every invisible character made visible, as `⟨U+202E⟩`, and with at most four marks per
 * letter.
 * Line breaks become `⏎`.
 */
export function visibleText(text: string): string {
  const prepared = text
    .replaceAll(KEPT_JOINER, '⟨U+0000⟩')
    .replace(/\r\n|\n|\r/g, ' ⏎ ')
    .replace(EMOJI_JOINER, KEPT_JOINER)
  return withVisible(prepared, (one) => (one === KEPT_JOINER ? '\u200d' : named(one)))
}

const named = (character: string): string =>
  `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`

/** A text that may have been cut. */
export interface CutText {
  readonly text: string
  readonly isWhole: boolean
}

/** UTF-16 units that are read per wanted character: a name of a megabyte is not read to its end. */
const UNITS = 12
/** UTF-16 units shown per character wanted, on average: marks and joined pictures add up to many bytes. */
const MOST_UNITS = 4
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The first `length` characters, as people count them, of the visible text. */
export function cutText(text: string, length: number): CutText {
  const start = text.length > length * UNITS ? text.slice(0, length * UNITS) : text
  const visible = visibleText(start)
  if (visible.length <= length && start.length === text.length) return { text: visible, isWhole: true }
  let count = 0
  for (const { index } of SEGMENTER.segment(visible))
    if (count++ === length || index > length * MOST_UNITS)
      return { text: visible.slice(0, index), isWhole: false }
  return { text: visible, isWhole: start.length === text.length }
}
