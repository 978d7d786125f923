// `npm test`: installs what is missing, runs all tests, prints the ten slowest files and, as the last line,
// `N passed, N failed`. Arguments are passed to vitest, e.g. `npm test -- packages/cells` or
// `npm test -- --project unit`. LONG_TESTS=1 tries more random cases and kills, as continuous integration
// does. It also sets RERUN_ALONE=1: a file that failed is run again, alone, after all others, and is
// named if it then passes, because tests of deadlines may fail on a busy machine.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { checkNode, installDependencies, ROOT } from './lib/prepare.mjs'

checkNode()
installDependencies({ dev: true })
const folder = mkdtempSync(join(tmpdir(), 'shardwalk-test-'))
const first = run('all', process.argv.slice(2))
let { passed, failed } = first
if (failed > 0 && process.env.RERUN_ALONE === '1' && first.failedFiles.length <= 3)
  for (const file of first.failedFiles) {
    console.log(`\nOnce more, alone: ${file.name}`)
    const again = run('again', [file.name])
    if (again.failed > 0) continue
    console.log(`FAILED AMONG OTHERS, PASSED ALONE: ${file.name}`)
    failed -= file.failed
    passed += file.failed
  }
rmSync(folder, { recursive: true, force: true })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

/** Runs vitest with `args`; what it exits with counts as a failure if no test says why. */
function run(name, args) {
  const env = args.length > 0 ? process.env : { ...process.env, ALL_TESTS: '1' }
  const report = join(folder, `${name}.json`)
  const vitest = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(ROOT, 'scripts', 'lib', 'slowest-reporter.mjs')}`,
      `--outputFile.json=${report}`,
      ...args,
    ],
    { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const counts = count(report)
  return vitest.status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

/**
 * Counts tests by outcome. A file that could not run counts as one failure, as does a run without a report.
 */
function count(path) {
  try {
    const result = JSON.parse(readFileSync(path, 'utf8'))
    const failedFiles = result.testResults
      .filter(({ status }) => status === 'failed')
      .map((file) => ({
        name: relative(ROOT, file.name),
        failed: Math.max(1, file.assertionResults.filter(({ status }) => status === 'failed').length),
      }))
    const failed = failedFiles.reduce((sum, file) => sum + file.failed, 0)
    return { passed: result.numPassedTests, failed, failedFiles }
  } catch {
    return { passed: 0, failed: 1, failedFiles: [] }
  }
}
