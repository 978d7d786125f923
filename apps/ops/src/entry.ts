import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository, or what `scripts/build.mjs` made of it. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const IS_BUILT = import.meta.url.endsWith('.js')

/** Arguments with which Node runs an entry file, given as its source relative to the repository. */
export const nodeArguments = (entry: string): readonly string[] =>
  IS_BUILT ? [ROOT + entry.replace(/\.ts$/, '.js')] : ['--import', import.meta.resolve('tsx'), ROOT + entry]

/** The version of the repository is that of all processes. */
export const programVersion = (): string =>
  (JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string }).version
