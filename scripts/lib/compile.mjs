import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './prepare.mjs'

/** Folder of what is bundled, below that of everything compiled. */
const BUNDLES = 'bundles'

/** For packages that are CommonJS. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)"

/** Starts a process or a thread. */
const ENTRY = /^apps\/[^/]+\/src\/(main|worker|[^/]+-process)\.ts$|-thread\.ts$/

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

const isSource = (file) => /\.tsx?$/.test(file)
const javaScript = (file) => file.replace(/\.tsx?$/, '.js')
const slashes = (path) => path.split(sep).join('/')

/**
 * Compiles apps and packages to JavaScript in `out` and copies their other files. All sources together become
 * few bundles, because Node takes three times as long to load hundreds of small files; where the source of a
 * process or a thread would be is a file that imports its bundle. Returns how many sources and other files
 * there are.
 */
export async function compile(out, { sourcemap = false } = {}) {
  const files = productFiles()
  const sources = files.filter(isSource)
  const entries = sources.filter((file) => ENTRY.test(slashes(file)))
  await build({
    ...options({ out, sourcemap }),
    entryPoints: entries.map((file) => ({ in: join(ROOT, file), out: join(BUNDLES, bundleOf(file)) })),
    splitting: true,
    // Optional: pg asks for it and does without.
    external: ['pg-native'],
    banner: { js: REQUIRE },
    chunkNames: `${BUNDLES}/[name]-[hash]`,
    plugins: [bundled],
  })
  for (const file of entries) {
    const entry = join(out, javaScript(file))
    mkdirSync(dirname(entry), { recursive: true })
    const bundle = slashes(relative(dirname(entry), join(out, BUNDLES, `${bundleOf(file)}.js`)))
    writeFileSync(entry, `export * from '${bundle}'\n`)
  }
  copyOthers(files, out)
  return { sources: sources.length, others: files.length - sources.length }
}

/**
 * The same file by file: what tests import of the parts. Threads are those of the bundles in `bundles`, the
 * `out` of `compile`, which start faster.
 */
export async function compileSeparately(out, { bundles, sourcemap = false }) {
  const files = productFiles()
  await build({
    ...options({ out, sourcemap }),
    entryPoints: files.filter(isSource).map((file) => join(ROOT, file)),
    outbase: ROOT,
    plugins: [separateFiles(out, bundles)],
  })
  copyOthers(files, out)
}

const options = ({ out, sourcemap }) => ({
  outdir: out,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
})

function copyOthers(files, out) {
  for (const file of files) if (!isSource(file)) cpSync(join(ROOT, file), join(out, file))
  // Version, and that files are modules.
  cpSync(join(ROOT, 'package.json'), join(out, 'package.json'))
}

/** E.g. `ingest-main`, `indexing-decode-thread`. */
const bundleOf = (file) => `${file.split(sep)[1]}-${basename(file, '.ts')}`

/** The file, relative to the repository, that an import of one of our packages names. */
export function entryOf(specifier) {
  const [, name, path = ''] = /^@shardwalk\/([a-z0-9-]+)(\/.+)?$/.exec(specifier) ?? []
  const manifest = name && join(ROOT, 'packages', name, 'package.json')
  if (!manifest || !existsSync(manifest)) return undefined
  const entry = JSON.parse(readFileSync(manifest, 'utf8')).exports[`.${path}`]
  return join('packages', name, entry)
}

/**
 * Packages of others that a start loads, most of them in hundreds of small files: part of the bundles. Not
 * among them: what reads files beside its own.
 */
const BUNDLED_PACKAGES = [
  'kysely',
  'zod',
  'pg',
  'pg-copy-streams',
  'express',
  'winston',
  'ioredis',
  'prom-client',
  'commander',
  'rate-limiter-flexible',
  'preact',
  'preact-render-to-string',
  'ws',
  'negotiator',
  'compressible',
  '@fastify/busboy',
  'fast-xml-parser',
  'hyparquet-writer',
  'bullmq',
]
const isBundledPackage = (path) =>
  BUNDLED_PACKAGES.some((name) => path === name || path.startsWith(`${name}/`))

/** Sources are bundled; packages of others and our JavaScript, which stays where it is, are imported. */
const bundled = {
  name: 'bundled',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined
      const own = entryOf(path)
      if (own) return { path: join(ROOT, own) }
      // Imported when it is needed, a CommonJS module has no named exports.
      if (path === 'bullmq') return { path: join(ROOT, 'node_modules/bullmq/dist/esm/index.js') }
      if (isBundledPackage(path) || relative(ROOT, importer).startsWith(`node_modules${sep}`))
        return undefined
      if (!path.startsWith('.')) return { path, external: true }
      const file = join(dirname(importer), path)
      return isSource(file) ? { path: file } : { path: fromBundles(file), external: true }
    })
    // Asked whether it is that of Cloudflare, Node 20 loads all of its `fetch`: a tenth of the time that a
    // process takes to start.
    onLoad({ filter: /node_modules.pg.lib.stream\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace("typeof Response === 'function'", 'false'),
    }))
    // Files are named relative to the source that names them.
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
      contents: withCompiledThreads(readFileSync(path, 'utf8'))
        .replace(/import\.meta\.resolve\(('\.[^']+')\)/g, 'new URL($1, import.meta.url).href')
        .replaceAll('import.meta.url', `new URL('${fromBundles(javaScript(path))}', import.meta.url).href`),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
}

const fromBundles = (file) => slashes(join('..', relative(ROOT, file)))

/** Every import stays one: files become their compiled form, packages of ours their compiled entry. */
const separateFiles = (out, bundles) => ({
  name: 'separate files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined
      const own = entryOf(path)
      if (own) {
        const entry = join(ROOT, javaScript(own))
        return { path: slashes(relative(dirname(importer), entry)), external: true }
      }
      return { path: path.startsWith('.') ? javaScript(path) : path, external: true }
    })
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const folder = dirname(relative(ROOT, path))
      const toBundles = slashes(relative(join(out, folder), join(bundles, folder)))
      return { contents: withCompiledThreads(readFileSync(path, 'utf8'), `${toBundles}/`), loader: 'ts' }
    })
  },
})

/** Entries of threads are named by URLs relative to their source. */
const withCompiledThreads = (source, folder = '') =>
  source.replace(
    /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g,
    `new URL('${folder}$1.js', import.meta.url)`,
  )
