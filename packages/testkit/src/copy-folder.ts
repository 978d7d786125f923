import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { promisify } from 'node:util'

/** For a thousand files: the program of the system takes a tenth of Node's time. */
export async function copyFolder(from: string, to: string): Promise<void> {
  if (process.platform === 'win32') return cp(from, to, { recursive: true, verbatimSymlinks: true })
  await promisify(execFile)('cp', ['-RP', `${from}/.`, to])
}
