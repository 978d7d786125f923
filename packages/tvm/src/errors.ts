import { IndexerError } from '@shardwalk/model'

/** The pool was closed before or during the run. */
export class TvmClosed extends IndexerError {
  readonly code = 'tvm_closed'
  readonly retry = 'later'

  constructor() {
    super('the pool of TVM workers is closed')
  }
}

/** A run was ended at its time limit, crashed its thread, or was refused because earlier ones did. */
export class MethodNotRun extends IndexerError {
  readonly code = 'method_not_run'
  readonly retry = 'later'
}

/** Worker threads exit before they are ready, so nothing can be run. */
export class TvmUnavailable extends IndexerError {
  readonly code = 'tvm_unavailable'
  readonly retry = 'later'
}
