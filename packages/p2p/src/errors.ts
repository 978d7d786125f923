import { IndexerError } from '@shardwalk/model'

/** None of the nodes that were asked has given an answer that is valid. */
export class NoPeerAnswered extends IndexerError {
  readonly code = 'no_peer_answered'
  readonly retry = 'later'
}
