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
