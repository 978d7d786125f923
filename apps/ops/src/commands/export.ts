import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DATASETS, type DatabaseHandle, daysOf, findGlobalId, type SeqnoRange } from '@shardwalk/db'
import { OwnerLock } from '@shardwalk/embedded-postgres'
import { exportPartition, problemsOf, readManifest, terminalTable } from '@shardwalk/exports'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import type { Context } from '../context.ts'
import { checkTables, readableDatabase, withDb } from '../database.ts'
import { type ExportRequest, readRequest, resolveRange } from '../export-request.ts'
import { CommandError } from '../outcome.ts'
import type { Command } from './index.ts'

export const exportCommand: Command = {
  usage:
    '<dataset>[,...] --out <folder> [--from X] [--to Y] [--format parquet|ndjson|csv] ' +
    '[--partition day|mc-seqno] [--chunk N] [--columns a,b] [--include-boc] [--max-rows-per-file N] ' +
    '[--csv-safe] [--allow-gaps] [--force] [--dry-run] | list | verify <folder>',
  help:
    'Write tables as files for other programs; a run that was interrupted is continued. "list" shows the ' +
    'datasets, "verify" checks files. See docs/analytics.md.',
  options: {
    ...{ out: 'value', from: 'value', to: 'value', format: 'value', partition: 'value', chunk: 'value' },
    ...{ columns: 'value', 'include-boc': 'switch', 'max-rows-per-file': 'value', 'csv-safe': 'switch' },
    ...{ 'allow-gaps': 'switch', force: 'switch', 'dry-run': 'switch' },
  } as const,
  reads: true,
  async run(context) {
    const [name, ...operands] = context.operands
    if (name === 'list') return list()
    if (name === 'verify') return verify(operands)
    const request = readRequest(context.operands, context.options)
    const database = await readableDatabase(context)
    try {
      await checkTables(database.url)
      // A replica may be read; a statement may take as long as the reader is slow.
      await withDb(database.url, (handle) => exportAll(handle, request, context), { statementTimeoutMs: 0 })
      return EXIT.done
    } finally {
      await database.stop()
    }
  },
}

function list(): ExitCode {
  for (const { name, comment, columns, bocs } of DATASETS) {
    console.log(`${name}: ${comment}`)
    const rows = Object.entries({ ...columns, ...bocs }).map(([column, [type, , text]]) => [
      column,
      type,
      text,
    ])
    console.log(`${terminalTable(['column', 'type', 'meaning'], rows)}\n`)
  }
  return EXIT.done
}

async function verify([folder, ...rest]: readonly string[]): Promise<ExitCode> {
  if (!folder || rest.length > 0) throw new CommandError('give the folder: export verify <folder>')
  let partitions = 0
  let isFine = true
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== '_manifest.json') continue
    const at = entry.parentPath ?? entry.path
    const manifest = (await readManifest(at))!
    partitions++
    for (const problem of await problemsOf(at, manifest, { hashes: true })) {
      isFine = false
      console.error(problem)
    }
  }
  if (partitions === 0) throw new CommandError(`${folder} has no export`)
  console.log(`${partitions} partitions, ${isFine ? 'all files as their manifests say' : 'with problems'}`)
  return isFine ? EXIT.done : EXIT.fix
}

interface Partition extends Partial<SeqnoRange> {
  readonly path: string
  readonly complete: boolean
}

async function exportAll(handle: DatabaseHandle, request: ExportRequest, context: Context): Promise<void> {
  const { options } = context
  const globalId = (await findGlobalId(handle.db)) ?? null
  const range = request.datasets.some(({ kind }) => kind === 'range')
    ? await resolveRange(handle.db, options)
    : undefined
  if (range) console.log(`masterchain blocks ${range.from} to ${range.to}`)
  for (const dataset of request.datasets) {
    const columns = request.columnsOf(dataset)
    const partitions =
      dataset.kind === 'range'
        ? await partitionsOf(handle, request, range!)
        : [{ path: 'latest', complete: true }]
    const folder = join(request.out, context.network.slug, dataset.name)
    if (options['dry-run'] === true) {
      console.log(`${folder}: ${partitions.map(({ path }) => path).join(', ')}`)
      continue
    }
    await withLock(folder, async () => {
      for (const partition of partitions) {
        const startedAt = performance.now()
        const { manifest, written } = await exportPartition(handle, {
          ...{ dataset, columns, globalId, format: request.format, maxRowsPerFile: request.maxRowsPerFile },
          folder: join(folder, partition.path),
          csvSafe: options['csv-safe'] === true,
          complete: partition.complete,
          ...(partition.from !== undefined && { range: { from: partition.from, to: partition.to! } }),
          gaps: (range?.gaps ?? []).filter(
            ([from, to]) => dataset.kind === 'range' && to >= partition.from! && from <= partition.to!,
          ),
          // A snapshot is of now.
          force: options['force'] === true || dataset.kind === 'snapshot',
        })
        const seconds = (performance.now() - startedAt) / 1000
        const rate = written ? `, ${Math.round(manifest.rows / seconds)} rows/s` : ', is there already'
        console.log(`${dataset.name}/${partition.path}: ${manifest.rows} rows${rate}`)
      }
    })
  }
}

async function partitionsOf(
  { db }: DatabaseHandle,
  { partition, chunk }: ExportRequest,
  range: SeqnoRange,
): Promise<readonly Partition[]> {
  if (partition === 'day')
    return (await daysOf(db, range)).map(({ day, ...rest }) => ({ path: `block_date=${day}`, ...rest }))
  const padded = (seqno: number) => String(seqno).padStart(10, '0')
  const partitions: Partition[] = []
  for (let start = Math.floor(range.from / chunk) * chunk; start <= range.to; start += chunk) {
    const [from, to] = [Math.max(start, range.from), Math.min(start + chunk - 1, range.to)]
    const isCut = from > start || to < start + chunk - 1
    partitions.push({
      path: `mc_seqno=${padded(start)}-${padded(start + chunk - 1)}`,
      from,
      to,
      complete: !isCut,
    })
  }
  return partitions
}

/** Two runs must not write into one folder. */
async function withLock(folder: string, work: () => Promise<void>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const lock = await OwnerLock.acquire(join(folder, '.owner'))
  if (!lock) throw new CommandError(`another export writes to ${folder}`, EXIT.tryAgain)
  try {
    await work()
  } finally {
    await lock.release()
  }
}
