import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@shardwalk/concurrency'
import { MANIFEST_FILE, type ManifestPart, problemsOf } from './manifest.ts'

/** The files of a snapshot that are complete, while others are written. */
export interface Unfinished {
  readonly parts: readonly ManifestPart[]
  /** Of their last row. */
  readonly position: string
  /** The newest indexed masterchain block when the first row was read; null: there was none. */
  readonly mc_seqno: number | null
}

interface Stored extends Unfinished {
  /** What the bytes of the files depend on. */
  readonly identity: string
}

const FILE = '.unfinished.json'
/** Rows that are older are read again: a snapshot is of now. Milliseconds. */
const LONGEST_AGE = 24 * 3_600_000

/** Replaces the file as a whole. */
export const writeUnfinished = (folder: string, stored: Stored): Promise<void> =>
  replaceFile(join(folder, FILE), `${JSON.stringify(stored)}\n`)

/** Undefined if there is nothing of this identity that can be continued. */
export async function readUnfinished(folder: string, identity: string): Promise<Unfinished | undefined> {
  const path = join(folder, FILE)
  try {
    const { mtimeMs } = await stat(path)
    if (mtimeMs < Date.now() - LONGEST_AGE) return undefined
    const { identity: found, ...unfinished } = JSON.parse(await readFile(path, 'utf8')) as Stored
    if (found !== identity) return undefined
    return (await problemsOf(folder, unfinished, { hashes: true })).length === 0 ? unfinished : undefined
  } catch {
    return undefined
  }
}

/** Removes what is in the folder, but not what is continued. */
export async function emptyFolder(folder: string, unfinished?: Unfinished): Promise<void> {
  // First: without its files it would be continued with others.
  if (!unfinished) await rm(join(folder, FILE), { force: true })
  // Before the files that it names.
  await rm(join(folder, MANIFEST_FILE), { force: true })
  const kept = new Set([FILE, ...(unfinished?.parts ?? []).map(({ file }) => file)])
  for (const name of await readdir(folder))
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true })
}

/** A folder with a manifest has nothing that is continued. */
export const removeUnfinished = (folder: string): Promise<void> => rm(join(folder, FILE), { force: true })
