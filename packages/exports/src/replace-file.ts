import { rename, rm, writeFile } from 'node:fs/promises'

/** Writes a file as a whole or not at all, and leaves nothing else behind. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    await writeFile(temporary, text, { flush: true } as object)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
