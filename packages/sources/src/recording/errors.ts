import { IndexerError } from '@shardwalk/model'

/** The folder cannot take this recording: it holds something else, or a gap would be left. */
export class RecordingConflict extends IndexerError {
  readonly code = 'recording_conflict'
  readonly retry = 'never'
}

/** A source gave a masterchain block that does not follow the one before it. */
export class ChainBroken extends IndexerError {
  readonly code = 'chain_broken'
  readonly retry = 'later'
}
