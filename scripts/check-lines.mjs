// Fails on a line of more than 110 columns in sources and in the prose of Markdown. The formatter breaks
// code, but not comments and strings.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const MAX_COLUMNS = 110
const SOURCE = /(?<!\.generated)\.(tsx?|mjs|css|js)$/
const MARKDOWN = /\.md$/
/** Examples and tables, and lines that end in one code span that is too long itself. */
const NOT_PROSE = /^\s*```[\s\S]*?^\s*```|^\s*\|.*|^#.*|^\s*`[^`]{90,}`\S*$/gm

const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
const problems = list
  .split('\n')
  .filter((path) => (SOURCE.test(path) || MARKDOWN.test(path)) && existsSync(path))
  .flatMap((path) =>
    linesOf(path).flatMap((line, index) =>
      line.length > MAX_COLUMNS ? [`${path}:${index + 1}: ${line.length} columns`] : [],
    ),
  )

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\nlines of more than ${MAX_COLUMNS} columns\n`)
  process.exit(1)
}

function linesOf(path) {
  const text = readFileSync(path, 'utf8')
  const checked = MARKDOWN.test(path)
    ? text.replace(NOT_PROSE, (lines) => lines.replace(/[^\n]+/g, ''))
    : text
  return checked.split('\n')
}
