import { isArchiveAway, isDatabaseAway } from '@shardwalk/db'

/**
 * Whether a command failed because a server was restarted, or cannot be reached for now: that of the database
 * or an archive server.
 */
export function isAwayForNow(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  // A file that is not there has the same code as a socket of a server that is down.
  if (code === 'ENOENT' && syscall !== 'connect') return false
  return isDatabaseAway(error) || isArchiveAway(error)
}
