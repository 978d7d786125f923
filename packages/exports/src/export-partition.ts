import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DatabaseHandle,
  type Dataset,
  readDataset,
  rootHashes,
  type SeqnoRange,
  type TextRow,
} from '@shardwalk/db'
import { IndexerError } from '@shardwalk/model'
import {
  describePart,
  type Manifest,
  type ManifestPart,
  problemsOf,
  readManifest,
  writeManifest,
} from './manifest.ts'
import { type FileFormat, FORMAT_VERSION, openRowFile, type RowFile } from './row-files.ts'

export interface PartitionOptions {
  /** Folder of the partition. */
  readonly folder: string
  readonly dataset: Dataset
  readonly columns: readonly string[]
  readonly format: FileFormat
  readonly csvSafe: boolean
  /** Undefined for a snapshot. */
  readonly range?: SeqnoRange
  readonly complete: boolean
  readonly gaps: readonly (readonly [from: number, to: number])[]
  readonly globalId: number | null
  readonly maxRowsPerFile: number
  /** Writes again what is there. */
  readonly force: boolean
  readonly onRows?: (rows: number) => void
}

/** The folder has an export of something else, which is not overwritten. */
export class ExportDiffers extends IndexerError {
  readonly code = 'export_differs'
  readonly retry = 'never'
}

/**
 * Writes the files of a partition unless they are there. May be killed at any moment: a folder without a
 * manifest is written again. Throws `ExportDiffers` if the folder has another export.
 */
export async function exportPartition(
  { pool, db }: Pick<DatabaseHandle, 'pool' | 'db'>,
  options: PartitionOptions,
): Promise<{ readonly manifest: Manifest; readonly written: boolean }> {
  const { folder, range } = options
  const found = await readManifest(folder)
  if (found && !options.force) {
    const differences = differencesOf(found, options)
    if (differences.length > 0)
      throw new ExportDiffers(
        `${folder} has an export with other ${differences.join(', ')}; choose another folder, or --force`,
      )
    const isWhole = (await problemsOf(folder, found, { hashes: false })).length === 0
    if (isWhole && (found.complete || found.mc_seqno_to === (range?.to ?? null)))
      return { manifest: found, written: false }
  }
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  const parts = await writeParts(pool, options)
  const hashes = await rootHashes(db, range ? [range.from, range.to] : [])
  const block = (seqno: number | undefined) =>
    seqno !== undefined && hashes.has(seqno) ? { seqno, root_hash: hashes.get(seqno)! } : null
  const manifest: Manifest = {
    format: options.format,
    format_version: FORMAT_VERSION,
    global_id: options.globalId,
    dataset: options.dataset.name,
    mc_seqno_from: range?.from ?? null,
    mc_seqno_to: range?.to ?? null,
    complete: options.complete,
    gaps: options.gaps,
    csv_safe: options.csvSafe,
    columns: options.columns,
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    first_block: block(range?.from),
    last_block: block(range?.to),
    parts,
  }
  await writeManifest(folder, manifest)
  return { manifest, written: true }
}

function differencesOf(found: Manifest, options: PartitionOptions): readonly string[] {
  const differs = {
    format: found.format !== options.format,
    'format version': found.format_version !== FORMAT_VERSION,
    dataset: found.dataset !== options.dataset.name,
    network: found.global_id !== options.globalId,
    columns: found.columns.join() !== options.columns.join(),
    'treatment of formulas': found.csv_safe !== options.csvSafe,
    'first block': found.mc_seqno_from !== (options.range?.from ?? null),
    'last block': found.complete && found.mc_seqno_to !== (options.range?.to ?? null),
  }
  return Object.entries(differs).flatMap(([name, isOther]) => (isOther ? [name] : []))
}

async function writeParts(
  pool: DatabaseHandle['pool'],
  options: PartitionOptions,
): Promise<readonly ManifestPart[]> {
  const { folder, format, dataset, maxRowsPerFile } = options
  const types = { ...dataset.columns, ...dataset.bocs }
  const columns = options.columns.map((name) => ({ name, type: types[name]![0] }))
  const parts: ManifestPart[] = []
  let file: RowFile | undefined
  let rows = 0
  const name = () => `part-${String(parts.length).padStart(5, '0')}.${format}`
  const temporary = () => join(folder, `.${name()}.tmp`)
  const open = () => openRowFile(format, { path: temporary(), columns, csvSafe: options.csvSafe })
  const close = async () => {
    await file?.close()
    await rename(temporary(), join(folder, name()))
    parts.push(await describePart(folder, name(), rows))
    file = undefined
    rows = 0
  }
  const write = async (chunk: readonly TextRow[]) => {
    for (let at = 0; at < chunk.length; ) {
      file ??= await open()
      const some = chunk.slice(at, at + maxRowsPerFile - rows)
      await file.write(some)
      at += some.length
      rows += some.length
      if (rows === maxRowsPerFile) await close()
    }
  }
  const source = { dataset, columns: options.columns, ...(options.range && { range: options.range }) }
  for await (const chunk of readDataset(pool, source)) {
    await write(chunk)
    options.onRows?.(chunk.length)
  }
  if (file || parts.length === 0) {
    file ??= await open()
    await close()
  }
  return parts
}
