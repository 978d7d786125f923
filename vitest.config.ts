import { totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { compiledCopy, compiledSources } from './scripts/lib/compiled-sources.mjs'
import { LongestFirst } from './scripts/lib/longest-first.mjs'
import { testFolder } from './scripts/lib/test-folder.mjs'

// Sources change then.
const isWatching = !process.argv.some((argument) => /^(run|--run)$/.test(argument))
const copy = await compiledCopy()
// For tests that start processes.
process.env['COMPILED_COPY'] = copy
process.env['TMPDIR'] = testFolder()

const PRELOADED = [
  new URL('packages/testkit/src/optimize-later.cjs', import.meta.url),
  new URL('packages/testkit/src/small-servers.cjs', import.meta.url),
]

const FILES = '{packages,apps}/*/{src,test}/**/*'
/** What tests keep is a few hundred MB: to look through it before it is so much frees little. */
const LATE_COLLECTIONS = totalmem() >= 12 * 2 ** 30 ? ['--initial-old-space-size=1024'] : []
const project = (name: string, ending: string, without: string, more = {}) => ({
  extends: true as const,
  test: { name, include: [FILES + ending], exclude: [without, '**/node_modules/**'], ...more },
})
const DATABASE = { globalSetup: ['packages/testkit/src/global-setup.ts'], testTimeout: 900_000 }
const UNIT = project('unit', '.test.ts', '**/*.{int,live}.test.ts')
const INT = project('int', '.int.test.ts', '**/*.live.test.ts', DATABASE)
/** Both in one, so that the same workers run all files, and some compute while others wait. */
const ALL = project('all', '.test.ts', '**/*.live.test.ts', DATABASE)
const LIVE = project('live', '.live.test.ts', '**/*.int.test.ts')

// Projects: `unit` needs nothing, `int` starts PostgreSQL (and Redis when there is one), `all` is both, for
// `npm test` without arguments; `live` talks to the public network and is off unless LIVE is set.
// Test files share the modules of their worker, because importing and compiling them again for every file
// took a quarter of the time: what one changes in a module or in `process.env` it must change back, and it
// closes what it opens.
// Time limits are for machines that are busy with other work.
export default defineConfig({
  plugins: isWatching ? [] : [compiledSources(copy)],
  test: {
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    isolate: false,
    // Two cores are busy with four: processes that start and deadlines are waited for.
    maxWorkers: 4,
    // Code that runs for seconds is optimized late, and what collects garbage has no threads of its own,
    // because the processors have other work. Decoded chains and pages outlive the 16 MiB that are usual, and
    // would be copied at every collection.
    execArgv: [
      ...PRELOADED.map((url) => `--require=${fileURLToPath(url)}`),
      ...['--single-threaded-gc', '--max-semi-space-size=64', ...LATE_COLLECTIONS],
    ],
    sequence: { sequencer: LongestFirst },
    // What becomes of test files is kept beside the copy that it names.
    experimental: isWatching ? {} : { fsModuleCache: true, fsModuleCachePath: join(copy, 'modules') },
    setupFiles: ['brief-processes', 'end-with-vitest', 'native-sha256', 'sizes-as-given'].map(
      (name) => `packages/testkit/src/${name}.ts`,
    ),
    projects: [...(process.env['ALL_TESTS'] ? [ALL] : [UNIT, INT]), ...(process.env['LIVE'] ? [LIVE] : [])],
  },
})
