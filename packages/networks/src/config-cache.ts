import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Path of the stored global config of a network. */
export const configPathOf = (slug: string, dataDir: string): string =>
  join(dataDir, 'networks', `${slug}.json`)

/** Stores a global config; readers see the old file or the new one. Returns its path. */
export function writeConfig(slug: string, dataDir: string, text: string): string {
  const path = configPathOf(slug, dataDir)
  mkdirSync(dirname(path), { recursive: true })
  const written = `${path}.${process.pid}`
  writeFileSync(written, text)
  renameSync(written, path)
  return path
}

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
