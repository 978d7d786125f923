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

/** A package differs from the index of its recording. The message names file and offset. */
export class RecordingDamaged extends IndexerError {
  readonly code = 'recording_damaged'
  readonly retry = 'never'

  constructor(
    readonly file: string,
    /** Offset of the difference, as far as is known. */
    readonly offset: number,
    problem: string,
  ) {
    super(`${file} ${problem}`)
  }
}
