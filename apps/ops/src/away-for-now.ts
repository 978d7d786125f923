import { isArchiveAway, isDatabaseAway, isOfConnecting } from '@shardwalk/db'

/** Codes that files have as well as sockets: there is none, or no more may be opened. */
const OF_FILES: readonly unknown[] = ['ENOENT', 'ENFILE']

/**
 * Whether a command failed because a server was restarted, or cannot be reached for now: that of the database
 * or an archive server.
 */
export function isAwayForNow(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (lacksFiles(error) || (OF_FILES.includes(code) && !isOfConnecting(error))) return false
  return isDatabaseAway(error) || isArchiveAway(error)
}

/** Whether this process may not open as many files and connections as it needs: again would not help. */
export const lacksFiles = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.code === 'EMFILE'
