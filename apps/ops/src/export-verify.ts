import { readdir } from 'node:fs/promises'
import { countDataset, DATASETS, type DatabaseHandle } from '@shardwalk/db'
import { type Manifest, problemsOf, readManifest } from '@shardwalk/exports'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import type { Context } from './context.ts'
import { resolveFilters } from './export-request.ts'
import { replicatedDatabase, usingDatabase } from './operators-database.ts'
import { CommandError } from './outcome.ts'
import { withDb } from './with-db.ts'

interface Found {
  readonly folder: string
  readonly manifest: Manifest
}

/** Compares files with their manifests and, with `--counts`, numbers of rows with the database. */
export async function verifyExport(
  [folder, ...rest]: readonly string[],
  context: Context,
): Promise<ExitCode> {
  if (!folder || rest.length > 0) throw new CommandError('give the folder: export verify <folder>')
  const found: Found[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== '_manifest.json') continue
    const at = entry.parentPath ?? entry.path
    found.push({ folder: at, manifest: (await readManifest(at))! })
  }
  if (found.length === 0) throw new CommandError(`${folder} has no export`)
  const problems: string[] = []
  for (const { folder: at, manifest } of found)
    problems.push(...(await problemsOf(at, manifest, { hashes: true })))
  if (context.options['counts'] === true) problems.push(...(await compareCounts(found, context)))
  for (const problem of problems) console.error(problem)
  const outcome = problems.length === 0 ? 'all files as their manifests say' : 'with problems'
  console.log(`${found.length} partitions, ${outcome}`)
  return problems.length === 0 ? EXIT.done : EXIT.fix
}

async function compareCounts(found: readonly Found[], context: Context): Promise<readonly string[]> {
  const problems: string[] = []
  const compare = async (handle: DatabaseHandle) => {
    for (const one of found) problems.push(...(await compareCount(handle, one)))
  }
  await usingDatabase(replicatedDatabase(context), ({ url }) =>
    withDb(url, compare, { statementTimeoutMs: 0 }),
  )
  return problems
}

async function compareCount(handle: DatabaseHandle, { folder, manifest }: Found): Promise<readonly string[]> {
  const dataset = DATASETS.find(({ name }) => name === manifest.dataset)
  if (!dataset) return [`${folder}: this version has no dataset ${manifest.dataset}`]
  const { mc_seqno_from: from, mc_seqno_to: to } = manifest
  const { matching } = await resolveFilters(handle, manifest.filters)
  const rows = await countDataset(handle.pool, {
    dataset,
    columns: [],
    filters: matching,
    ...(from !== null && to !== null && { range: { from, to } }),
  })
  return rows === BigInt(manifest.rows) ? [] : [`${folder}: ${manifest.rows} rows, the database has ${rows}`]
}
