import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, replaceFile } from '@shardwalk/concurrency'

/** Path of the stored global config of a network. */
export const configPathOf = (slug: string, dataDir: string): string =>
  join(dataDir, 'networks', `${slug}.json`)

/** Stores a global config and returns its path. Rejects if the folder is not writable. */
export async function writeConfig(slug: string, dataDir: string, text: string): Promise<string> {
  const path = configPathOf(slug, dataDir)
  await makeFolder(dirname(path))
  await replaceFile(path, text)
  return path
}

/** A global config as it was downloaded, and how long ago. */
export interface CachedConfig {
  readonly text: string
  readonly ageMs: number
}

/** The stored config; undefined if there is none, or it cannot be read. */
export function readCachedConfig(slug: string, dataDir: string): CachedConfig | undefined {
  const path = configPathOf(slug, dataDir)
  try {
    if (!existsSync(path)) return undefined
    return { text: readFileSync(path, 'utf8'), ageMs: Date.now() - statSync(path).mtimeMs }
  } catch {
    return undefined
  }
}
