import { IndexerError } from '@shardwalk/model'

/** No complete answer in time. Nodes answer what they refuse or do not know with silence. */
export class QueryTimedOut extends IndexerError {
  readonly code = 'rldp_timeout'
  readonly retry = 'later'
}

/** The peer begins an answer that is longer than was allowed. */
export class AnswerTooLong extends IndexerError {
  readonly code = 'rldp_answer_too_long'
  readonly retry = 'later'

  constructor(
    readonly size: number,
    readonly allowed: number,
  ) {
    super(`an answer of ${size} bytes, at most ${allowed} were asked for`)
  }
}

/** The peer sends what is no transfer: parts that contradict each other or cannot be decoded. */
export class TransferFailed extends IndexerError {
  readonly code = 'rldp_transfer_failed'
  readonly retry = 'later'
}
