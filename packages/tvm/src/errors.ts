import { IndexerError } from '@shardwalk/model'

/** The pool was closed before or during the run. */
export class TvmClosed extends IndexerError {
  readonly code = 'tvm_closed'
  readonly retry = 'later'

  constructor() {
    super('the pool of TVM workers is closed')
  }
}

/** Worker threads exit before they are ready, so nothing can be run. */
export class TvmUnavailable extends IndexerError {
  readonly code = 'tvm_unavailable'
  readonly retry = 'later'
}
