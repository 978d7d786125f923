import { IndexerError } from '@shardwalk/model'

/** The archive cannot be changed until the operator has done what the message names. */
export class ArchiveRefused extends IndexerError {
  readonly code = 'archive_refused'
  readonly retry = 'never'
}

/** The archive server cannot be reached, or the rows read back from it differ from those written. */
export class ArchiveFailed extends IndexerError {
  readonly code = 'archive_failed'
  readonly retry = 'later'
}
