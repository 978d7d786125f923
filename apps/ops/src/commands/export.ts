import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { makeFolder, OwnerLock, sleep } from '@shardwalk/concurrency'
import { blocksBehindHead, DATASETS, type DatabaseHandle, type Dataset, findGlobalId } from '@shardwalk/db'
import { exportPartition, HeadFirst, terminalTable, WritingThread, writeSchema } from '@shardwalk/exports'
import { createShutdown, EXIT, type ExitCode } from '@shardwalk/observability'
import type { Context } from '../context.ts'
import { readableDatabase } from '../database.ts'
import { type Partition, partitionsOf } from '../export-partitions.ts'
import {
  type ExportRequest,
  type ResolvedFilters,
  readRequest,
  resolveFilters,
  resolveRange,
} from '../export-request.ts'
import { verifyExport } from '../export-verify.ts'
import { checkTables } from '../migrate-database.ts'
import { CommandError } from '../outcome.ts'
import { withDb } from '../with-db.ts'
import type { Command } from './index.ts'

export const exportCommand: Command = {
  usage:
    '<dataset>[,...] --out <folder> [--from X] [--to Y] [--format parquet|ndjson|csv] ' +
    '[--partition day|mc-seqno] [--chunk N] [--columns a,b] [--include-boc] [--account A,...] ' +
    '[--jetton A,...] [--type T,...] [--compression snappy|none] [--gzip] [--max-rows-per-file N] ' +
    '[--content-checksum] [--csv-safe] [--allow-gaps] [--force] [--follow] [--dry-run] | list | ' +
    'verify <folder> [--counts]',
  help:
    'Write tables as files for other programs; a run that was interrupted is continued, and with --follow ' +
    'goes on with the chain. "list" shows the datasets, "verify" checks files. See docs/analytics.md.',
  options: {
    out: 'value',
    from: 'value',
    to: 'value',
    format: 'value',
    partition: 'value',
    chunk: 'value',
    columns: 'value',
    'include-boc': 'switch',
    'max-rows-per-file': 'value',
    'csv-safe': 'switch',
    account: 'value',
    jetton: 'value',
    type: 'value',
    compression: 'value',
    gzip: 'switch',
    'allow-gaps': 'switch',
    force: 'switch',
    'dry-run': 'switch',
    'content-checksum': 'switch',
    follow: 'switch',
    counts: 'switch',
  } as const,
  reads: true,
  async run(context) {
    const [name, ...operands] = context.operands
    if (name === 'list') return list()
    if (name === 'verify') return verifyExport(operands, context)
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
  for (const { name, comment, columns, bocs, filters } of DATASETS) {
    const filter = filters ? ` Filters: ${Object.keys(filters).join(', ')}.` : ''
    console.log(`${name}: ${comment}${filter}`)
    const rows = Object.entries({ ...columns, ...bocs }).map(([column, [type, , text]]) => [
      column,
      type,
      text,
    ])
    console.log(`${terminalTable(['column', 'type', 'meaning'], rows)}\n`)
  }
  return EXIT.done
}

interface Run {
  readonly handle: DatabaseHandle
  readonly request: ExportRequest
  readonly context: Context
  readonly filters: ResolvedFilters
  readonly globalId: number | null
  readonly head: HeadFirst
  readonly thread: WritingThread
}

async function exportAll(handle: DatabaseHandle, request: ExportRequest, context: Context): Promise<void> {
  const filters = await resolveFilters(handle, request.filters)
  const globalId = (await findGlobalId(handle.db)) ?? null
  const { exportMaxLag: most, exportPriority } = context.settings
  const head = new HeadFirst({
    most,
    behind: () => blocksBehindHead(handle.db),
    onPause: (behind) => console.log(`paused while the index is ${behind} blocks behind (EXPORT_MAX_LAG)`),
  })
  if (exportPriority === 'low') setPriority(constants.priority.PRIORITY_LOW)
  // Has the priority of the thread that starts it.
  const thread = new WritingThread()
  const run: Run = { handle, request, context, filters, globalId, head, thread }
  try {
    if (context.options['follow'] === true) await follow(run)
    else for (const dataset of request.datasets) await exportDataset(run, dataset)
  } finally {
    await thread.close()
  }
}

async function planOf({ handle, request, context }: Run, dataset: Dataset): Promise<readonly Partition[]> {
  if (dataset.kind === 'snapshot') return [{ path: 'latest', name: null, complete: true, gaps: [] }]
  const range = await resolveRange(handle.db, context.options)
  console.log(`masterchain blocks ${range.from} to ${range.to}`)
  return partitionsOf(handle, dataset, { ...request, range })
}

/** `wanted`: of the partitions. */
async function exportDataset(
  run: Run,
  dataset: Dataset,
  wanted: (partition: Partition) => boolean = () => true,
): Promise<void> {
  const { request, context } = run
  const partitions = (await planOf(run, dataset)).filter(wanted)
  const folder = join(request.out, context.network.slug, dataset.name)
  if (context.options['dry-run'] === true) {
    console.log(`${folder}: ${partitions.map(({ path }) => path).join(', ')}`)
    return
  }
  await withLock(folder, async () => {
    for (const partition of partitions) await writePartition(run, { dataset, folder, partition })
  })
}

interface Place {
  readonly dataset: Dataset
  /** Of the dataset. */
  readonly folder: string
  readonly partition: Partition
}

async function writePartition(run: Run, { dataset, folder, partition }: Place): Promise<void> {
  const { handle, request, filters, globalId, head, thread } = run
  const { options } = run.context
  const identity = {
    dataset,
    globalId,
    columns: request.columnsOf(dataset),
    format: request.format,
    compression: request.compression,
    gzip: request.gzip,
    csvSafe: options['csv-safe'] === true,
    maxRowsPerFile: request.maxRowsPerFile,
    filters: filters.shown,
  }
  const startedAt = performance.now()
  const progress = new Progress(`${dataset.name}/${partition.path}`)
  try {
    const { manifest, written } = await exportPartition(handle, {
      ...identity,
      folder: join(folder, partition.path),
      partition: partition.name,
      complete: partition.complete,
      gaps: partition.gaps,
      ...(partition.range && { range: partition.range }),
      matching: filters.matching,
      contentChecksum: options['content-checksum'] === true,
      // A snapshot is of now.
      force: options['force'] === true || dataset.kind === 'snapshot',
      onRows: (rows) => progress.add(rows),
      turn: () => head.turn(),
      open: thread.open,
    })
    await writeSchema(folder, identity)
    const seconds = (performance.now() - startedAt) / 1000
    const rate = written ? `, ${Math.round(manifest.rows / seconds)} rows/s` : ', is there already'
    console.log(`${dataset.name}/${partition.path}: ${manifest.rows} rows${rate}`)
  } catch (error) {
    throw NO_SPACE.has((error as NodeJS.ErrnoException).code ?? '') ? noSpace(folder, progress) : error
  }
}

/** Of the system; a full disk of the database has other codes. */
const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

const noSpace = (folder: string, { rows }: Progress): CommandError =>
  new CommandError(
    `${folder}: the disk is full after ${rows} rows of a partition; files that were not finished were ` +
      'removed. Free at least twice what the largest partition so far takes, and run the command again',
    EXIT.tryAgain,
  )

/** Tells every few seconds how far a long partition is. */
class Progress {
  rows = 0
  private reportedAt = performance.now()

  constructor(private readonly name: string) {}

  add(rows: number): void {
    this.rows += rows
    if (performance.now() - this.reportedAt < REPORT_MS) return
    this.reportedAt = performance.now()
    console.log(`${this.name}: ${this.rows} rows so far`)
  }
}

const REPORT_MS = 10_000
/** Interval of checks for partitions that have closed. */
const CHECK_MS = 5_000

/** Writes partitions as they close, until the process is asked to stop. */
async function follow(run: Run): Promise<void> {
  const { request } = run
  const snapshots = request.datasets.filter(({ kind }) => kind === 'snapshot')
  if (snapshots.length > 0)
    throw new CommandError(`--follow: ${snapshots.map(({ name }) => name).join(', ')} is a snapshot of now`)
  const shutdown = createShutdown({ exit: () => {} })
  const stopListening = shutdown.listen()
  const { signal } = shutdown
  const done = new Set<string>()
  try {
    while (!signal.aborted) {
      for (const dataset of request.datasets)
        await exportDataset(run, dataset, ({ path, complete }) => {
          const isNew = complete && !signal.aborted && !done.has(`${dataset.name}/${path}`)
          if (isNew) done.add(`${dataset.name}/${path}`)
          return isNew
        })
      await sleep(CHECK_MS, signal)
    }
  } finally {
    stopListening()
  }
}

/** Two runs must not write into one folder. */
async function withLock(folder: string, work: () => Promise<void>): Promise<void> {
  await makeFolder(folder)
  const lock = await OwnerLock.acquire(join(folder, '.owner'))
  if (!lock) throw new CommandError(`another export writes to ${folder}`, EXIT.tryAgain)
  try {
    await work()
  } finally {
    await lock.release()
  }
}
