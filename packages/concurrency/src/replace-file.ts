import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

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
}

/** Makes a renaming durable, where folders can be synchronised: some systems and file systems refuse. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
