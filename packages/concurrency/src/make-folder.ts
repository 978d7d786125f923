import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder, and those above it, if they are missing. Node's recursive way reports ENOENT for a file
 * system that is read-only, and never ends where the system allows no folders, such as below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  const error = await problemOfMaking(path)
  if (!error) return
  const above = dirname(path)
  if (error.code !== 'ENOENT' || above === path) throw error
  if (!(await isFolder(above))) await makeFolder(above)
  // Another process may have made the folder above since.
  const second = await problemOfMaking(path)
  if (second) throw second
}

async function problemOfMaking(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path)
    return undefined
  } catch (error) {
    const problem = error as NodeJS.ErrnoException
    return problem.code === 'EEXIST' && (await isFolder(path)) ? undefined : problem
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
