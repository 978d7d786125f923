import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** No replacement takes so long: a part of that age was left by a killed process. Milliseconds. */
const LEFT_MS = 3_600_000

/**
 * Creates or replaces a file as a whole: readers find the old text or the new one, also after a power
 * failure. A process replaces a file only once at a time. `mode`: permissions; default: those of any new
 * file. Rejects with the error of the file system, which leaves the old file.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  // Other processes may be replacing the file too.
  const beside = `${path}.${process.pid}.tmp`
  try {
    const file = await open(beside, 'w', mode)
    try {
      // A file that a killed process left keeps its permissions.
      if (mode !== undefined) await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
  await removeLeft(path)
}

/** By age, because a process with another number may run in another container. */
async function removeLeft(path: string): Promise<void> {
  const folder = dirname(path)
  const start = `${basename(path)}.`
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !/^\d+\.tmp$/.test(name.slice(start.length))) continue
    const left = join(folder, name)
    const written = await stat(left).catch(() => undefined)
    if (written && Date.now() - written.mtimeMs > LEFT_MS) await rm(left, { force: true }).catch(() => {})
  }
}

/** Makes a renaming durable, where folders can be synchronised: some systems and file systems refuse. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
