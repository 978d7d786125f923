import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './prepare.mjs'

/** All files that a start needs, relative to the repository. */
export function productFiles() {
  return ['apps', 'packages'].flatMap((root) =>
    readdirSync(join(ROOT, root)).flatMap((name) => {
      const folder = join(root, name)
      if (folder === join('packages', 'testkit')) return []
      return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
        .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
        .filter((file) => /^(src|bundled)$/.test(file.split(sep)[2]))
    }),
  )
}

/**
 * Compiles apps and packages to JavaScript in `out`, file by file, and copies their other files. Returns how
 * many there are of each.
 */
export async function compile(out, { sourcemap = false } = {}) {
  const files = productFiles()
  const isSource = (file) => /\.tsx?$/.test(file)
  const sources = files.filter(isSource)
  const assets = files.filter((file) => !isSource(file))
  await build({
    entryPoints: sources.map((file) => join(ROOT, file)),
    outdir: out,
    outbase: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    plugins: [separateFiles],
  })
  for (const file of assets) cpSync(join(ROOT, file), join(out, file))
  // Version, and that files are modules.
  cpSync(join(ROOT, 'package.json'), join(out, 'package.json'))
  return { modules: sources.length, others: assets.length }
}

/** The file, relative to the repository, that an import of one of our packages names. */
export function entryOf(specifier) {
  const [, name, path = ''] = /^@shardwalk\/([a-z0-9-]+)(\/.+)?$/.exec(specifier) ?? []
  const manifest = name && join(ROOT, 'packages', name, 'package.json')
  if (!manifest || !existsSync(manifest)) return undefined
  const entry = JSON.parse(readFileSync(manifest, 'utf8')).exports[`.${path}`]
  return join('packages', name, entry)
}

/** Every import stays one: files become their compiled form, packages of ours their compiled entry. */
const separateFiles = {
  name: 'separate files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined
      const own = entryOf(path)
      if (own) {
        const entry = join(ROOT, own.replace(/\.tsx?$/, '.js'))
        return { path: slashes(relative(dirname(importer), entry)), external: true }
      }
      return { path: path.startsWith('.') ? path.replace(/\.tsx?$/, '.js') : path, external: true }
    })
    // Entries of threads are named by URLs.
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g,
        "new URL('$1.js', import.meta.url)",
      ),
      loader: 'ts',
    }))
  },
}

const slashes = (path) => path.split(sep).join('/')
