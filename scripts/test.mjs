// `npm test`: installs what is missing, runs all tests, prints the ten slowest files and, as the last line,
// `N passed, N failed`. Arguments are passed to vitest, e.g. `npm test -- packages/cells` or
// `npm test -- --project unit`. LONG_TESTS=1 tries more random cases and kills, as continuous integration
// does.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkNode, installDependencies, ROOT } from './lib/prepare.mjs'

checkNode()
installDependencies({ dev: true })
const folder = mkdtempSync(join(tmpdir(), 'shardwalk-test-'))
const report = join(folder, 'report.json')
const vitest = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--reporter=${join(ROOT, 'scripts', 'lib', 'slowest-reporter.mjs')}`,
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
)
const { passed, failed } = count(report)
rmSync(folder, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = vitest.status === 0 && failed === 0 && passed > 0 ? 0 : 1

/**
 * Counts tests by outcome. A file that could not run counts as one failure, as does a run without a report.
 */
function count(path) {
  try {
    const result = JSON.parse(readFileSync(path, 'utf8'))
    const broken = result.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
    )
    return { passed: result.numPassedTests, failed: result.numFailedTests + broken.length }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
