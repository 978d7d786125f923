import { IndexerError } from '@shardwalk/model'

/** Redis or the database answered, but jobs cannot be kept there. The message says what to do. */
export class QueueStoreRefused extends IndexerError {
  readonly code = 'queue_store_refused'
  readonly retry = 'never'
}

/** Redis did not answer, or is not ready for jobs yet. The message names the setting. */
export class QueueStoreUnreachable extends IndexerError {
  readonly code = 'queue_store_unreachable'
  readonly retry = 'later'
}
