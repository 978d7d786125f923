import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * Arguments with which Node.js runs a program of a test, a source with imports of ours. It starts as those of
 * production do: with the compiler of sources, a start takes three seconds of processor time.
 */
export async function programArguments(entry: string): Promise<string[]> {
  const copy = process.env['COMPILED_COPY']
  // Outside of the tests, e.g. in a benchmark.
  if (!copy) return ['--import', import.meta.resolve('tsx'), entry]
  const name = relative(ROOT, entry).split(sep).join('-')
  const outfile = join(copy, 'programs', `${name}.${process.pid}.mjs`)
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20' },
    ...{ packages: 'external', logLevel: 'warning', plugins: [await compiledParts(copy)] },
  })
  return [outfile]
}

/** What is imported of apps and packages is what tests import of them (see vitest.config.ts). */
async function compiledParts(copy: string): Promise<Plugin> {
  const { compiledSources } = await import(pathToFileURL(join(ROOT, 'scripts/lib/compiled-sources.mjs')).href)
  const { resolveId } = compiledSources(copy)
  return {
    name: 'compiled parts',
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ path, importer }) => {
        const found: { id: string } | undefined = importer ? resolveId(path, importer) : undefined
        return found && { path: found.id, external: true }
      })
    },
  }
}
