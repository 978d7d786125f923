import { IndexerError } from '@shardwalk/model'

/** None of the nodes that were asked has given an answer that is valid. */
export class NoPeerAnswered extends IndexerError {
  readonly code = 'no_peer_answered'
  readonly retry = 'later'
  /** Nodes that have said that they do not have it; the others were silent, which means nothing. */
  readonly saidNo: number

  constructor(message: string, options: ErrorOptions & { readonly saidNo?: number } = {}) {
    super(message, options)
    this.saidNo = options.saidNo ?? 0
  }
}
