import { IndexerError } from '@shardwalk/model'

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
