import { join } from 'node:path'
import { makeFolder, OwnerLock } from '@shardwalk/concurrency'
import type { DatabaseHandle, Dataset } from '@shardwalk/db'
import { exportPartition, type HeadFirst, type WritingThread, writeSchema } from '@shardwalk/exports'
import { EXIT } from '@shardwalk/observability'
import type { Context } from './context.ts'
import { everyTenSeconds } from './every-ten-seconds.ts'
import type { Partition } from './export-partitions.ts'
import type { ExportRequest, ResolvedFilters } from './export-request.ts'
import { CommandError } from './outcome.ts'

/** An export and what it uses. */
export interface Run {
  readonly handle: DatabaseHandle
  readonly request: ExportRequest
  readonly context: Context
  readonly filters: ResolvedFilters
  readonly globalId: number | null
  readonly head: HeadFirst
  readonly thread: WritingThread
}

/** Writes partitions of a dataset, unless they are there. `onWritten` is called after each. */
export async function exportPartitions(
  run: Run,
  dataset: Dataset,
  partitions: readonly Partition[],
  onWritten: (partition: Partition) => void = () => {},
): Promise<void> {
  const { request, context } = run
  const folder = join(request.out, context.network.slug, dataset.name)
  if (context.options['dry-run'] === true) {
    console.log(`${folder}: ${partitions.map(({ path }) => path).join(', ')}`)
    partitions.forEach(onWritten)
    return
  }
  await withLock(folder, async () => {
    for (const partition of partitions) {
      await writePartition(run, { dataset, folder, partition })
      onWritten(partition)
    }
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
      force: options['force'] === true,
      onRows: (rows) => progress.add(rows),
      onContinue: (rows) =>
        console.log(`${dataset.name}: continued after ${rows} rows of a run that was interrupted`),
      turn: () => head.turn(),
      open: thread.open,
    })
    await writeSchema(folder, identity)
    const seconds = (performance.now() - startedAt) / 1000
    const rate = written ? `, ${Math.round(progress.rows / seconds)} rows/s` : ', is there already'
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
  private readonly report = everyTenSeconds((rows: number) =>
    console.log(`${this.name}: ${rows} rows so far`),
  )

  constructor(private readonly name: string) {}

  add(rows: number): void {
    this.rows += rows
    this.report(this.rows)
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
