// What every script needs before its imports: a recent Node and installed dependencies. Plain JavaScript
// without dependencies, in syntax that old versions of Node can parse.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { endOnSignals } from './first-process.mjs'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const readJson = (...path) => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'))

/** Exits with a message if Node is older than package.json requires. */
export function checkNode() {
  const wanted = /\d+(\.\d+)*/.exec(readJson('package.json').engines.node)[0].split('.').map(Number)
  const have = process.versions.node.split('.').map(Number)
  for (let i = 0; i < 3; i++) {
    if ((have[i] || 0) > (wanted[i] || 0)) return
    if ((have[i] || 0) < (wanted[i] || 0)) {
      console.error(
        `Shardwalk needs Node.js ${wanted.join('.')} or newer; this is ${process.versions.node} ` +
          `(${process.execPath}).`,
      )
      console.error('Install a current version from https://nodejs.org and run the same command again.')
      process.exit(1)
    }
  }
}

/**
 * Why dependencies must be installed; undefined if those of the lock file are present. `dev` includes those
 * of tests.
 */
function missingDependencies({ dev = false } = {}) {
  if (!existsSync(join(ROOT, 'node_modules', '.package-lock.json'))) return 'no dependencies are installed'
  const installed = readJson('node_modules', '.package-lock.json').packages
  for (const [path, entry] of Object.entries(readJson('package-lock.json').packages)) {
    if (!path.startsWith('node_modules/') || entry.optional || entry.peer || (entry.dev && !dev)) continue
    if (entry.link ? !existsSync(join(ROOT, path)) : installed[path]?.version !== entry.version)
      return `${path.slice('node_modules/'.length)} is missing or has another version`
  }
  return undefined
}

/** Installs the dependencies of the lock file if any is missing. Install scripts do not run. */
export function installDependencies(wanted) {
  // npm installed this together with its dependencies.
  if (!existsSync(join(ROOT, 'package-lock.json'))) return
  const reason = missingDependencies(wanted)
  if (reason === undefined) return
  console.error(`Installing dependencies (${reason}) ...`)
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // The lifecycle variables of an outer `npm start` would be read as configuration of this run.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package)_/i.test(name)),
  )
  // Not `npm ci`: it deletes what is installed, which may be nearly everything.
  const result = spawnSync(npm, ['install', '--no-save', ...options], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 2, 2],
    shell: npm.endsWith('.cmd'),
  })
  if (result.status === 0 && missingDependencies(wanted) === undefined) return
  console.error(
    result.error
      ? `Dependencies could not be installed: ${result.error.message}. Is npm on the PATH?`
      : 'Dependencies could not be installed (see the message of npm above). ' +
          'Check the connection to the package registry and try again.',
  )
  process.exit(1)
}

/** What `scripts/build.mjs` makes of the command line. */
const BUILT = join(ROOT, 'dist', 'apps', 'ops', 'src', 'main.js')

/**
 * Checks Node, installs missing dependencies, and imports the command line: compiled if it was built, else as
 * TypeScript.
 */
export async function loadProgram() {
  endOnSignals()
  checkNode()
  installDependencies()
  if (existsSync(BUILT)) return import(pathToFileURL(BUILT).href)
  // From any folder, and for the processes started by this one.
  process.env.TSX_TSCONFIG_PATH ||= join(ROOT, 'tsconfig.json')
  const { register } = await import('tsx/esm/api')
  register()
  return import('../../apps/ops/src/main.ts')
}
