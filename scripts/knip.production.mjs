// Only what runs counts as use here: an export or dependency for tests alone is reported.
import { readFileSync } from 'node:fs'

const { workspaces, ...config } = JSON.parse(readFileSync(new URL('../knip.json', import.meta.url), 'utf8'))
const FILES = ['{src,examples,scripts}/**!', '!**/*.{test,bench}.ts!', '!scripts/soak/**!']
/** What vitest.config.ts imports counts as a tool, like other scripts. */
const RUNNER = 'scripts/lib/{compiled-sources,longest-first,slowest-reporter,test-folder}.mjs'
const isForTests = (entry) => /^(bench|test)\/|soak/.test(entry)

/** The `!` at the end of a pattern marks files of production for knip. */
const production = ({ entry = [], ...rest }) => ({
  ...rest,
  entry: [entry]
    .flat()
    .filter((pattern) => !isForTests(pattern))
    .map((pattern) => `${pattern}!`),
  project: FILES,
})

const root = workspaces['.']
const own = { ...workspaces, '.': { ...root, entry: [...root.entry, RUNNER] } }

export default {
  ...config,
  // Tests beside the code may use what the rest of its module uses.
  includeEntryExports: false,
  ignoreExportsUsedInFile: true,
  ignoreWorkspaces: ['packages/testkit!'],
  workspaces: {
    'apps/*': { project: FILES },
    'packages/*': { project: FILES },
    ...Object.fromEntries(Object.entries(own).map(([name, workspace]) => [name, production(workspace)])),
  },
}
