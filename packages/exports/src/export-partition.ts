import { makeFolder } from '@shardwalk/concurrency'
import {
  CLASSIFIER_VERSION,
  checkSchema,
  type DatabaseHandle,
  type Dataset,
  type DatasetFilters,
  isDatabaseAway,
  readDataset,
  rootHashes,
  type SeqnoRange,
  type SnapshotReading,
} from '@shardwalk/db'
import { IndexerError } from '@shardwalk/model'
import { type Manifest, problemsOf, readManifest, writeManifest } from './manifest.ts'
import { FORMAT_VERSION } from './parquet/parquet-file.ts'
import { PartFiles } from './part-files.ts'
import { ReadMoments } from './read-moments.ts'
import type { Compression, FileFormat } from './row-file.ts'
import {
  emptyFolder,
  readUnfinished,
  removeUnfinished,
  type Unfinished,
  writeUnfinished,
} from './unfinished.ts'
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
  /** Called if so many rows of a snapshot are there from a run that was interrupted. */
  readonly onContinue?: (rows: number) => void
  /** How a snapshot is read. */
  readonly reading?: Pick<SnapshotReading, 'rowsPerPage' | 'momentMs'>
  /** Opens the files. Default: this thread writes them. */
  readonly open?: WritingThread['open']
  /** Awaited before each statement that reads rows. */
  readonly turn?: () => Promise<void>
}

/** The folder has an export of something else, which is not overwritten. */
class ExportDiffers extends IndexerError {
  readonly code = 'export_differs'
  readonly retry = 'never'
}

/**
 * Writes the files of a partition unless they are there; a snapshot is written again. May be killed at any
 * moment: a folder without a manifest is written again, and a snapshot continued. Throws `ExportDiffers` if
 * the folder has another export, and `SchemaTooNew` if a newer version has migrated the tables meanwhile.
 */
export async function exportPartition(
  handle: Pick<DatabaseHandle, 'pool' | 'db'>,
  options: PartitionOptions,
): Promise<{ readonly manifest: Manifest; readonly written: boolean }> {
  const { folder, force, range } = options
  const found = await readManifest(folder)
  if (found && !force) refuseOther(found, options)
  if (found && range && !force && (await isThere(found, options))) return { manifest: found, written: false }
  const identity = identityOf(options)
  // The checksum of all rows has to see them again.
  const begun = found || force || options.contentChecksum ? undefined : await readUnfinished(folder, identity)
  await makeFolder(folder)
  await emptyFolder(folder, begun)
  if (begun) options.onContinue?.(rowsOf(begun))
  try {
    return { manifest: await writePartition(handle, options, begun), written: true }
  } catch (error) {
    // Files without a manifest would be written again, and may be what fills the disk.
    await emptyFolder(folder, isDatabaseAway(error) ? await readUnfinished(folder, identity) : undefined)
    throw error
  }
}

function refuseOther(found: Manifest, options: PartitionOptions): void {
  const differences = differencesOf(found, options)
  if (differences.length === 0) return
  throw new ExportDiffers(
    `${options.folder} has an export with other ${differences.join(', ')}; choose another folder, or --force`,
  )
}

async function isThere(found: Manifest, options: PartitionOptions): Promise<boolean> {
  const isWhole = (await problemsOf(options.folder, found, { hashes: false })).length === 0
  return isWhole && hasAll(found, options)
}

async function writePartition(
  { pool, db }: Pick<DatabaseHandle, 'pool' | 'db'>,
  options: PartitionOptions,
  begun: Unfinished | undefined,
): Promise<Manifest> {
  const { folder, range, dataset, columns, matching: filters, turn } = options
  const moments = new ReadMoments(begun)
  const files = new PartFiles({
    ...options,
    parts: begun?.parts ?? [],
    onPart: async (written, last) => {
      const position = dataset.walks && last.text(last.length - 1, last.width - 1)
      if (!position || options.contentChecksum) return
      const unfinished = { parts: written, position, mc_seqno: moments.first }
      await writeUnfinished(folder, { ...unfinished, identity: identityOf(options) })
    },
  })
  const reading = { ...options.reading, after: begun?.position, onMoment: moments.add }
  try {
    for await (const rows of readDataset(pool, {
      dataset,
      columns,
      filters,
      turn,
      reading,
      ...(range && { range }),
    })) {
      await files.write(rows)
      options.onRows?.(rows.length)
    }
    await files.close()
    const hashes = await rootHashes(db, range ? [range.from, range.to] : [])
    // Statements of this version may have read the tables of a newer one without an error.
    await checkSchema(db)
    const manifest = manifestOf(options, { files, moments }, hashes)
    await writeManifest(folder, manifest)
    await removeUnfinished(folder)
    return manifest
  } catch (error) {
    await files.abandon()
    throw error
  }
}

const rowsOf = ({ parts }: Pick<Manifest, 'parts'>): number => parts.reduce((sum, { rows }) => sum + rows, 0)

/** Whether nothing can have been added since, as far as that is known without reading the rows. */
function hasAll(found: Manifest, { complete, range, gaps, dataset }: PartitionOptions): boolean {
  if (found.complete && found.gaps.length === 0) return true
  if (complete || dataset.dependsOn) return false
  return found.mc_seqno_to === (range?.to ?? null) && JSON.stringify(found.gaps) === JSON.stringify(gaps)
}

function manifestOf(
  options: PartitionOptions,
  { files, moments }: { readonly files: PartFiles; readonly moments: ReadMoments },
  hashes: ReadonlyMap<number, string>,
): Manifest {
  const { range, dataset } = options
  const { parts, contentSha256 } = files
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
    ...(moments.seqnos && { snapshot_mc_seqnos: moments.seqnos }),
    complete: options.complete,
    gaps: options.gaps,
    filters: options.filters,
    csv_safe: options.csvSafe,
    max_rows_per_file: options.maxRowsPerFile,
    columns: options.columns,
    rows: rowsOf({ parts }),
    content_sha256: contentSha256,
    versions: { classifier: dataset.dependsOn === 'actions' ? CLASSIFIER_VERSION : null },
    first_block: block(range?.from),
    last_block: block(range?.to),
    parts,
  }
}

/** Of what is continued: all that its files depend on. */
const identityOf = (options: ExportIdentity): string =>
  JSON.stringify([
    ...[FORMAT_VERSION, options.format, compressionOf(options), options.csvSafe, options.globalId],
    ...[options.dataset.name, options.columns, options.filters, options.maxRowsPerFile],
  ])

const compressionOf = ({ format, compression, gzip }: ExportIdentity): string =>
  format === 'parquet' ? compression : gzip ? 'gzip' : 'none'

function differencesOf(found: Manifest, options: PartitionOptions): readonly string[] {
  const differs = {
    format: found.format !== options.format,
    // None of the files of a snapshot stays.
    'format version': options.range !== undefined && found.format_version !== FORMAT_VERSION,
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
