/** Texts of the chain, such as names and comments, may be hostile: see docs/security.md. */

/**
 * A character that is invisible, moves the cursor of a terminal, or changes the direction of what surrounds
 * it.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]|[\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0]/gu
/** Marks stacked on one letter cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu

/**
 * The text with each invisible character replaced by the result of `show`, and at most four marks per letter.
 */
export const withVisible = (text: string, show: (character: string) => string): string =>
  text.replace(INVISIBLE, show).replace(STACKED_MARKS, '$1')

/**
 * The text in one line, safe to print in a terminal: control and invisible characters are escaped, as
 * `\u{202e}`.
 */
export const terminalText = (text: string): string =>
  withVisible(text, (one) => (one === '\n' ? '\\n' : `\\u{${one.codePointAt(0)!.toString(16)}}`))

/** Equivalent JSON that is safe to print in a terminal: control and invisible characters are escaped. */
export const terminalJson = (json: string): string =>
  json.replace(INVISIBLE, (one) => (/[\n\r\t]/.test(one) ? one : [...unitsOf(one)].join('')))

function* unitsOf(character: string): Generator<string> {
  for (let index = 0; index < character.length; index++)
    yield `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
}
