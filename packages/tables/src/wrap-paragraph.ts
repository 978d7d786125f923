const MAX_COLUMNS = 110

/** Words; what is between backquotes is one word with what touches it. */
const WORDS = /(?:`[^`]*`|\S)+/g

/** `text` as lines of at most 110 columns, as far as its words allow. */
export function wrapParagraph(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.match(WORDS) ?? []) {
    if (line !== '' && line.length + 1 + word.length > MAX_COLUMNS) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
