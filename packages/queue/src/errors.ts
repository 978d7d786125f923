import { IndexerError } from '@shardwalk/model'

/** Redis answered, but jobs cannot be kept there. The message names the setting and what to do. */
export class QueueStoreRefused extends IndexerError {
  readonly code = 'queue_store_refused'
  readonly retry = 'never'
}

/** Redis did not answer, or is not ready for jobs yet. The message names the setting. */
export class QueueStoreUnreachable extends IndexerError {
  readonly code = 'queue_store_unreachable'
  readonly retry = 'later'
}
