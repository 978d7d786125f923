import { IndexerError } from '@shardwalk/model'

/** The folder contains another recording, or this one would leave a gap. */
export class RecordingConflict extends IndexerError {
  readonly code = 'recording_conflict'
  readonly retry = 'never'
}

/** A source returned a masterchain block that does not follow its predecessor. */
export class ChainBroken extends IndexerError {
  readonly code = 'chain_broken'
  readonly retry = 'later'
}
