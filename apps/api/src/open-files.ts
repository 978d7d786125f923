import { readFileSync } from 'node:fs'
import type { Logger } from '@shardwalk/observability'

/** For databases, lite servers, receivers of webhooks, threads and files of the process. */
const RESERVED = 200

/**
 * How many connections of clients are accepted: no more than the process may have files open. Otherwise
 * clients would take what connections to the database need, and those that are too many would be closed
 * without being counted.
 */
export function affordableConnections(asked: number, log: Logger, limit = openFilesLimit()): number {
  const affordable = limit === undefined ? asked : Math.floor(Math.max(limit - RESERVED, limit / 2))
  if (affordable >= asked) return asked
  log.warn('fewer connections accepted than MAX_CONNECTIONS; raise the limit of open files', {
    max_connections: asked,
    accepted: affordable,
    open_files_limit: limit,
  })
  return affordable
}

/** Undefined without a limit, or where it is not known. */
function openFilesLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
