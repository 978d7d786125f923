// Fails on a source line of more than 110 columns. The formatter breaks code, but not comments and strings.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const MAX_COLUMNS = 110
const SOURCE = /(?<!\.generated)\.(tsx?|mjs|css|js)$/

const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
const problems = list
  .split('\n')
  .filter((path) => SOURCE.test(path) && existsSync(path))
  .flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        line.length > MAX_COLUMNS ? [`${path}:${index + 1}: ${line.length} columns`] : [],
      ),
  )

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\nlines of more than ${MAX_COLUMNS} columns\n`)
  process.exit(1)
}
