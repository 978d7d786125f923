import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommandError, messageOf } from './outcome.ts'

/** Makes the data folder and proves that it can be written to. Returns its absolute path. */
export function openDataDir(dataDir: string): string {
  const path = resolve(dataDir)
  try {
    makeFolder(join(path, 'networks'))
    accessSync(path, constants.W_OK)
    writeFileSync(join(path, '.write-test'), '')
  } catch (error) {
    throw new CommandError(
      `DATA_DIR ${path} cannot be written to: ${messageOf(error)}. Choose another one with --data-dir.`,
    )
  }
  return path
}

/** Not `recursive`: Node tries for ever where the system makes no folders, e.g. below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const currentPath = (dataDir: string): string => join(resolve(dataDir), 'networks', 'current')

/** Remembers which network was started last, so that `shardwalk status` and the like need no flag. */
export const rememberNetwork = (dataDir: string, network: string): void =>
  writeFileSync(currentPath(dataDir), network)

/** The network started last in this data folder; undefined when there was none. */
export const recallNetwork = (dataDir: string): string | undefined =>
  existsSync(currentPath(dataDir))
    ? readFileSync(currentPath(dataDir), 'utf8').trim() || undefined
    : undefined
