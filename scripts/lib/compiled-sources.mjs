import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { compile, compileSeparately, entryOf, productFiles } from './compile.mjs'
import { ROOT } from './prepare.mjs'

const CACHE = join(ROOT, 'node_modules', '.cache', 'shardwalk-tests')

/** Copies of former sources are removed, unless another run of the tests may still use them. */
const KEPT_MS = 60 * 60_000

/**
 * The repository as `npm run build` makes it, in a folder of its own: tests start processes from there. What
 * they import themselves is in `parts`. There is one copy per content of the sources.
 */
export async function compiledCopy() {
  const copy = join(CACHE, hashOf([...productFiles(), ...scriptFiles(), 'package.json']))
  if (existsSync(copy)) return copy
  removeFormer()
  const unfinished = `${copy}.${process.pid}`
  const bundles = join(unfinished, 'dist')
  await compile(bundles, { sourcemap: 'linked' })
  await compileSeparately(join(unfinished, 'parts'), { bundles, sourcemap: 'linked' })
  for (const name of ['scripts', 'package.json'])
    cpSync(join(ROOT, name), join(unfinished, name), { recursive: true })
  for (const name of ['node_modules', 'package-lock.json', 'fixtures'])
    symlinkSync(join(ROOT, name), join(unfinished, name))
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process was faster.
    if (!existsSync(copy)) throw error
  }
  return copy
}

const scriptFiles = () =>
  readdirSync(join(ROOT, 'scripts'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => join('scripts', file))

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

function removeFormer() {
  mkdirSync(CACHE, { recursive: true })
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name)
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** Command lines, which start the processes and threads beside them: those of the bundles start faster. */
const PROGRAM = join('apps', 'ops', 'src', 'main.ts')

/**
 * Plugin of vite: what tests import of apps and packages is their compiled form, which Node loads at once.
 * Modules of sources cost a test file seconds, and every use of an import inside them goes through a getter.
 */
export function compiledSources(copy) {
  const [parts, bundles] = [join(copy, 'parts'), join(copy, 'dist')]
  return {
    name: 'compiled sources',
    enforce: 'pre',
    resolveId(source, importer) {
      const own = entryOf(source)
      if (own) return found(own)
      if (!source.startsWith('.') || !importer) return undefined
      return found(relative(ROOT, resolve(dirname(importer.split('?')[0]), source)))
    },
  }
  function found(file) {
    if (!/\.tsx?$/.test(file) || !/^(apps|packages)$/.test(file.split(sep)[0])) return undefined
    const id = join(file === PROGRAM ? bundles : parts, file.replace(/\.tsx?$/, '.js'))
    return existsSync(id) ? { id, external: true } : undefined
  }
}
