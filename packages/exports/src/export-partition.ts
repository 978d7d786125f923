import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@shardwalk/concurrency'
import {
  CLASSIFIER_VERSION,
  checkSchema,
  type DatabaseHandle,
  type Dataset,
  type DatasetFilters,
  readDataset,
  rootHashes,
  type SeqnoRange,
} from '@shardwalk/db'
import { IndexerError } from '@shardwalk/model'
import { type Manifest, problemsOf, readManifest, writeManifest } from './manifest.ts'
import { FORMAT_VERSION } from './parquet/parquet-file.ts'
import { PartFiles } from './part-files.ts'
import type { Compression, FileFormat } from './row-file.ts'
import type { WritingThread } from './writing-thread.ts'

/** What the bytes of an export depend on beside the chain. */
export interface ExportIdentity {
  readonly dataset: Dataset
  readonly columns: readonly string[]
  readonly format: FileFormat
  readonly compression: Compression
  readonly gzip: boolean
  readonly csvSafe: boolean
  readonly maxRowsPerFile: number
  /** As given: raw addresses, types. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  readonly globalId: number | null
}

export interface PartitionOptions extends ExportIdentity {
  /** Folder of the partition. */
  readonly folder: string
  /** Name of the partition: a day, or seqnos; null for a snapshot. */
  readonly partition: Readonly<Record<string, string>> | null
  /** Undefined for a snapshot. */
  readonly range?: SeqnoRange
  readonly complete: boolean
  readonly gaps: readonly (readonly [from: number, to: number])[]
  /** The filters as the database knows them. */
  readonly matching: DatasetFilters
  /** Also compute the checksum of the rows as NDJSON, which is the same for every format. */
  readonly contentChecksum: boolean
  /** Writes again what is there. */
  readonly force: boolean
  readonly onRows?: (rows: number) => void
  /** Opens the files. Default: this thread writes them. */
  readonly open?: WritingThread['open']
  /** Awaited before each statement that reads rows. */
  readonly turn?: () => Promise<void>
}

/** The folder has an export of something else, which is not overwritten. */
export class ExportDiffers extends IndexerError {
  readonly code = 'export_differs'
  readonly retry = 'never'
}

/**
 * Writes the files of a partition unless they are there. May be killed at any moment: a folder without a
 * manifest is written again. Throws `ExportDiffers` if the folder has another export, and `SchemaTooNew` if a
 * newer version has migrated the tables meanwhile.
 */
export async function exportPartition(
  { pool, db }: Pick<DatabaseHandle, 'pool' | 'db'>,
  options: PartitionOptions,
): Promise<{ readonly manifest: Manifest; readonly written: boolean }> {
  const { folder, range, dataset, columns } = options
  const found = await readManifest(folder)
  if (found && !options.force) {
    const differences = differencesOf(found, options)
    if (differences.length > 0)
      throw new ExportDiffers(
        `${folder} has an export with other ${differences.join(', ')}; choose another folder, or --force`,
      )
    const isWhole = (await problemsOf(folder, found, { hashes: false })).length === 0
    if (isWhole && hasAll(found, options)) return { manifest: found, written: false }
  }
  await makeFolder(folder)
  await empty(folder)
  const parts = new PartFiles(options)
  const request = { dataset, columns, filters: options.matching, turn: options.turn, ...(range && { range }) }
  try {
    for await (const rows of readDataset(pool, request)) {
      await parts.write(rows)
      options.onRows?.(rows.length)
    }
    await parts.close()
    const hashes = await rootHashes(db, range ? [range.from, range.to] : [])
    // Statements of this version may have read the tables of a newer one without an error.
    await checkSchema(db)
    const manifest = manifestOf(options, parts, hashes)
    await writeManifest(folder, manifest)
    return { manifest, written: true }
  } catch (error) {
    await parts.abandon()
    // Files without a manifest would be written again, and may be what fills the disk.
    await empty(folder)
    throw error
  }
}

/** Whether nothing can have been added since, as far as that is known without reading the rows. */
function hasAll(found: Manifest, { complete, range, gaps, dataset }: PartitionOptions): boolean {
  if (found.complete && found.gaps.length === 0) return true
  if (complete || dataset.dependsOn) return false
  return found.mc_seqno_to === (range?.to ?? null) && JSON.stringify(found.gaps) === JSON.stringify(gaps)
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
}

function manifestOf(
  options: PartitionOptions,
  { parts, contentSha256 }: PartFiles,
  hashes: ReadonlyMap<number, string>,
): Manifest {
  const { range, dataset } = options
  const block = (seqno: number | undefined) =>
    seqno !== undefined && hashes.has(seqno) ? { seqno, root_hash: hashes.get(seqno)! } : null
  return {
    format: options.format,
    format_version: FORMAT_VERSION,
    compression: compressionOf(options),
    global_id: options.globalId,
    dataset: dataset.name,
    partition: options.partition,
    mc_seqno_from: range?.from ?? null,
    mc_seqno_to: range?.to ?? null,
    complete: options.complete,
    gaps: options.gaps,
    filters: options.filters,
    csv_safe: options.csvSafe,
    max_rows_per_file: options.maxRowsPerFile,
    columns: options.columns,
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    content_sha256: contentSha256,
    versions: { classifier: dataset.dependsOn === 'actions' ? CLASSIFIER_VERSION : null },
    first_block: block(range?.from),
    last_block: block(range?.to),
    parts,
  }
}

const compressionOf = ({ format, compression, gzip }: ExportIdentity): string =>
  format === 'parquet' ? compression : gzip ? 'gzip' : 'none'

function differencesOf(found: Manifest, options: PartitionOptions): readonly string[] {
  const differs = {
    format: found.format !== options.format,
    'format version': found.format_version !== FORMAT_VERSION,
    compression: found.compression !== compressionOf(options),
    dataset: found.dataset !== options.dataset.name,
    network: found.global_id !== options.globalId,
    columns: found.columns.join() !== options.columns.join(),
    filters: JSON.stringify(found.filters) !== JSON.stringify(options.filters),
    'rows per file': found.max_rows_per_file !== options.maxRowsPerFile,
    'version of the classifier':
      options.dataset.dependsOn === 'actions' && found.versions?.classifier !== CLASSIFIER_VERSION,
    'treatment of formulas': found.csv_safe !== options.csvSafe,
    'first block': found.mc_seqno_from !== (options.range?.from ?? null),
    'last block': found.complete && found.mc_seqno_to !== (options.range?.to ?? null),
  }
  return Object.entries(differs).flatMap(([name, isOther]) => (isOther ? [name] : []))
}
