import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@shardwalk/concurrency'
import { IndexerError } from '@shardwalk/model'
import type { FileFormat } from './row-file.ts'

/** A file of the folder. */
export interface ManifestPart {
  readonly file: string
  readonly rows: number
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
}

/** What a folder of files contains. Written last: a folder with one is complete. Has no times of writing. */
export interface Manifest {
  readonly format: FileFormat
  readonly format_version: number
  readonly compression: string
  readonly global_id: number | null
  readonly dataset: string
  /** Null for a snapshot. */
  readonly partition: Readonly<Record<string, string>> | null
  /** Null for a snapshot. */
  readonly mc_seqno_from: number | null
  readonly mc_seqno_to: number | null
  /**
   * Masterchain blocks that were the newest when the first and the last rows of a snapshot were read; absent:
   * all rows are of one moment.
   */
  readonly snapshot_mc_seqnos?: readonly [from: number | null, to: number | null]
  /** False: the day goes on, or begins before what is indexed. */
  readonly complete: boolean
  readonly gaps: readonly (readonly [from: number, to: number])[]
  /** Empty: all rows. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  readonly csv_safe: boolean
  readonly max_rows_per_file: number
  readonly columns: readonly string[]
  readonly rows: number
  /** SHA-256 of all rows as NDJSON, hex; null: not computed. */
  readonly content_sha256: string | null
  readonly versions: { readonly classifier: number | null }
  readonly first_block: ManifestBlock | null
  readonly last_block: ManifestBlock | null
  readonly parts: readonly ManifestPart[]
}

/** A masterchain block that an export begins or ends with. */
export interface ManifestBlock {
  readonly seqno: number
  /** Base64. */
  readonly root_hash: string
}

export const MANIFEST_FILE = '_manifest.json'

/** Undefined if the folder has none. Throws `manifest_damaged` if it is not JSON. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Manifest
  } catch (cause) {
    throw new ManifestDamaged(
      `${join(folder, MANIFEST_FILE)} is damaged: remove the folder to write it again`,
      { cause },
    )
  }
}

class ManifestDamaged extends IndexerError {
  readonly code = 'manifest_damaged'
  readonly retry = 'never'
}

/** Replaces the file as a whole. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await replaceFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 1)}\n`)
}

/** Reads the whole file. */
export async function describePart(folder: string, file: string, rows: number): Promise<ManifestPart> {
  const path = join(folder, file)
  return { file, rows, bytes: (await stat(path)).size, sha256: await sha256Of(path) }
}

/**
 * Problems of the files of a folder, one text each; empty when there are none. `hashes`: also read all files
 * and compare hashes.
 */
export async function problemsOf(
  folder: string,
  { parts }: Pick<Manifest, 'parts'>,
  { hashes }: { readonly hashes: boolean },
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { file, bytes, sha256 } of parts) {
    const path = join(folder, file)
    const found = await stat(path).catch(() => undefined)
    if (!found) problems.push(`${path}: missing`)
    else if (found.size !== bytes) problems.push(`${path}: ${found.size} bytes instead of ${bytes}`)
    else if (hashes && (await sha256Of(path)) !== sha256)
      problems.push(`${path}: other content, by its SHA-256`)
  }
  return problems
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
