import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isDiskFull } from '@shardwalk/embedded-postgres'
import { EXIT } from '@shardwalk/observability'
import { CommandError, messageOf } from './outcome.ts'

/** Creates the data folder and checks that it is writable. Returns its absolute path. */
export function openDataDir(dataDir: string): string {
  const path = resolve(dataDir)
  try {
    makeFolder(join(path, 'networks'))
    accessSync(path, constants.W_OK)
    accessSync(join(path, 'networks'), constants.W_OK)
    writeFileSync(join(path, '.write-test'), '')
  } catch (error) {
    if (isDiskFull(error))
      throw new CommandError(
        `The disk of DATA_DIR ${path} is full: ${messageOf(error)}. Make room and repeat the command.`,
        EXIT.tryAgain,
      )
    throw new CommandError(
      `DATA_DIR ${path} is not writable: ${messageOf(error)}. Choose another one with --data-dir.`,
    )
  }
  return path
}

/** Not `recursive`: Node retries forever where the system does not allow folders, e.g. below /proc. */
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

/** Records the network started last, so that `shardwalk status` and other commands need no flag. */
export const saveCurrentNetwork = (dataDir: string, network: string): void =>
  writeFileSync(currentPath(dataDir), network)

/** The network started last in this data folder; undefined if there was none. */
export const readCurrentNetwork = (dataDir: string): string | undefined =>
  existsSync(currentPath(dataDir))
    ? readFileSync(currentPath(dataDir), 'utf8').trim() || undefined
    : undefined
