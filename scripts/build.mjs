// Compiles apps and packages to JavaScript in dist/, file by file, so that a start needs no compiler. Scripts
// run what is in dist/ if it exists: delete the folder to go back to the sources.
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './lib/prepare.mjs'

const OUT = join(ROOT, 'dist')
const files = ['apps', 'packages'].flatMap((root) =>
  readdirSync(join(ROOT, root)).flatMap((name) => {
    const folder = join(root, name)
    if (folder === join('packages', 'testkit')) return []
    return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
      .filter((file) => /^(src|bundled)$/.test(file.split(sep)[2]))
  }),
)
const isTest = (file) => /\.test\.ts$/.test(file)
const sources = files.filter((file) => file.endsWith('.ts') && !isTest(file))
const assets = files.filter((file) => !file.endsWith('.ts'))

/** Every import stays one: files become their compiled form, packages of ours their compiled entry. */
const separateFiles = {
  name: 'separate files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined
      const own = /^@shardwalk\/([a-z-]+)(\/.+)?$/.exec(path)
      if (own) {
        const entry = entryOf(join(ROOT, 'packages', own[1]), `.${own[2] ?? ''}`)
        return { path: slashes(relative(dirname(importer), entry)), external: true }
      }
      return { path: path.startsWith('.') ? path.replace(/\.ts$/, '.js') : path, external: true }
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

/** The compiled file that a package exports under that name. */
const entryOf = (folder, name) => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, exports[name].replace(/\.ts$/, '.js'))
}

const slashes = (path) => path.split(sep).join('/')

rmSync(OUT, { recursive: true, force: true })
await build({
  entryPoints: sources.map((file) => join(ROOT, file)),
  outdir: OUT,
  outbase: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: false,
  logLevel: 'warning',
  plugins: [separateFiles],
})
for (const file of assets) cpSync(join(ROOT, file), join(OUT, file))
// Version, and that files are modules.
cpSync(join(ROOT, 'package.json'), join(OUT, 'package.json'))
console.log(`dist: ${sources.length} modules, ${assets.length} other files`)
