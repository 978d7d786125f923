import { IndexerError } from '@shardwalk/model'

/** Somebody has to do something else first; the text says what. */
export class ArchiveRefused extends IndexerError {
  readonly code = 'archive_refused'
  readonly retry = 'never'
}

/** The archive server does not answer, or did not keep what it was given. */
export class ArchiveFailed extends IndexerError {
  readonly code = 'archive_failed'
  readonly retry = 'later'
}

/** Rows were to be written into a range that is on an archive server. */
export class RangeArchived extends IndexerError {
  readonly code = 'range_archived'
  readonly retry = 'never'

  constructor(cause: unknown) {
    super(
      'the blocks have rows in partitions that are on an archive server; run "shardwalk archive --back" ' +
        'for their range first',
      { cause },
    )
  }
}

/** What the trigger on archived partitions raises. */
export const isArchivedWrite = (error: unknown): boolean => (error as { code?: string }).code === 'SWARC'

/** sqlclient_unable_to_establish_sqlconnection, connection_failure. Raised by postgres_fdw. */
const AWAY = new Set(['08001', '08006'])
const SERVER = /server "shardwalk_archive_/
/** What postgres_fdw says of the statement that it could not run. */
const REMOTE = /remote SQL command: .*\bFROM shardwalk_archive\./s

/** A statement needed rows of an archive server that is away; everything else is served. */
export const isArchiveAway = (error: unknown): boolean => {
  const { code, message, where } = (error ?? {}) as { code?: string; message?: string; where?: string }
  if (code === undefined || !AWAY.has(code)) return false
  return SERVER.test(message ?? '') || REMOTE.test(where ?? '')
}
